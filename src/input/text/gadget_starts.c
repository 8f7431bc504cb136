// SPDX-License-Identifier: GPL-2.0-or-later
/* What tells events of Inspektor Gadget from other JSON and text. */
#include <ctype.h>
#include <string.h>

#include "input/text/gadget.h"
#include "util/vec.h"

enum { LOOK_MAX = 1 << 16 /* bytes of an event that are looked at */ };

/*
 * Returns true if the object AT bytes from the source has a member that is a stack of ig's,
 * before it ends. The first member of bpftool's objects, and of other tools' that are read,
 * shows that it is none.
 */
static bool has_stack(struct source *source, size_t at)
{
	static const char *const stacks[] = {"addresses", "kstack", "kern_stack"},
				 *const others[] = {"key", "value", "values", "formatted", "type",
					 "id", "schema", "elements"};
	size_t depth = 0, start = 0; /* of the string that is read; 0: none is */
	bool first = true;

	for (; at < LOOK_MAX && source_has_bytes(source, at + 1); at++) {
		char c = source->at[at];

		if (!start) {
			start = c == '"' ? at + 1 : 0;
			depth += c == '{' || c == '[';
			if ((c == '}' || c == ']') && --depth == 0)
				return false;
			continue;
		}
		at += c == '\\';
		if (c != '"')
			continue;
		struct scan string = {source->at + start, source->at + at};
		if (first && scan_is_one_of(string, others, array_len(others)))
			return false;
		if (scan_is_one_of(string, stacks, array_len(stacks)) &&
			source_has_bytes(source, at + 2) && source->at[at + 1] == ':')
			return true;
		first = false;
		start = 0;
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
