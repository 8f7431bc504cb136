// SPDX-License-Identifier: GPL-2.0-or-later
/* What tells events of Inspektor Gadget from other JSON and text. */
#include <ctype.h>
#include <string.h>

#include "input/text/gadget.h"
#include "util/vec.h"

enum { LOOK_MAX = 1 << 16 /* bytes of an event that are looked at */ };

/* What the first member of bpftool's objects is called, and of other tools' that are read. */
static bool is_other(struct scan name)
{
	static const char *const names[] = {
		"key", "value", "values", "formatted", "type", "id", "schema", "elements"};

	for (size_t i = 0; i < array_len(names); i++)
		if (scan_equals(name, names[i]))
			return true;
	return false;
}

/* The end of the string that begins at AT, 0: it is too far away. */
static size_t string_end(struct source *source, size_t at)
{
	for (; at < LOOK_MAX && source_has_bytes(source, at + 1); at++) {
		if (source->at[at] == '"')
			return at;
		if (source->at[at] == '\\')
			at++;
	}
	return 0;
}

/* Whether the string up to END is the name of a member that is a stack of ig's. */
static bool names_stack(struct source *source, size_t start, size_t end)
{
	if (!source_has_bytes(source, end + 2) || source->at[end + 1] != ':')
		return false;
	struct scan name = {source->at + start, source->at + end};
	return scan_equals(name, "addresses") || scan_equals(name, "kstack") ||
	       scan_equals(name, "kern_stack");
}

/* Whether the object whose { is AT bytes away has a member that is a stack of ig's, before it ends. */
static bool has_stack(struct source *source, size_t at)
{
	bool first = true;

	for (size_t depth = 0; at < LOOK_MAX && source_has_bytes(source, at + 1); at++) {
		char c = source->at[at];

		depth += c == '{' || c == '[';
		if ((c == '}' || c == ']') && --depth == 0)
			return false;
		if (c != '"')
			continue;
		size_t end = string_end(source, at + 1);
		if (!end ||
			(first && is_other((struct scan){source->at + at + 1, source->at + end})))
			return false;
		if (names_stack(source, at + 1, end))
			return true;
		first = false;
		at = end;
	}
	return false;
}

bool gadget_json_starts(struct source *source, size_t at)
{
	bool array = source_has_bytes(source, at + 1) && source->at[at] == '[';

	if (array)
		for (at++; at < LOOK_MAX && source_has_bytes(source, at + 1) &&
			   memchr(" \t\r\n", source->at[at], 4);)
			at++;
	return source_has_bytes(source, at + 1) && source->at[at] == '{' && has_stack(source, at);
}

bool gadget_text_starts(struct source *source, struct tool_blocks *blocks)
{
	size_t len = 0, lines = 0;

	if (!source_has(source) || !(isupper((unsigned char)*source->at) || *source->at == '-' ||
					   *source->at == '\033'))
		return false;
	/* No more than the lines that decide: who writes them may wait for an answer. */
	bool yaml = *source->at == '-';
	while (len < LOOK_MAX && lines < (yaml ? 2 : 1) && source_has_bytes(source, len + 1)) {
		unsigned char c = (unsigned char)source->at[len++];

		if (islower(c) && !yaml)
			return false;
		lines += c == '\n';
	}
	return blocks_start(blocks, TOOL_GADGET_TEXT, (struct scan){source->at, source->at + len});
}
