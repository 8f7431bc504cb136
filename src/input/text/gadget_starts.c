// SPDX-License-Identifier: GPL-2.0-or-later
/* Distinguishes output of Inspektor Gadget from other JSON and text. */
#include <ctype.h>
#include <string.h>

#include "input/text/gadget.h"
#include "util/vec.h"

enum { LOOK_MAX = 1 << 16 /* bytes of an event that are examined */ };

/*
 * Returns true if the object AT bytes after the position of the source has a member with a stack of
 * Inspektor Gadget. Returns false if its first member is one of bpftool or another supported tool.
 */
static bool has_stack(struct source *source, size_t at)
{
	static const char *const stacks[] = {"addresses", "kstack", "kern_stack"},
				 *const others[] = {"key", "value", "values", "formatted", "type",
					 "id", "schema", "elements"};
	size_t depth = 0, start = 0; /* START: offset of the current string; 0: outside a string */
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
	/* read no more lines than needed: the writer may be waiting for an answer */
	bool yaml = *source->at == '-';
	while (len < LOOK_MAX && lines < (yaml ? 2 : 1) && source_has_bytes(source, len + 1)) {
		unsigned char c = (unsigned char)source->at[len++];

		if (islower(c) && !yaml)
			return false;
		lines += c == '\n';
	}
	return blocks_start(blocks, TOOL_GADGET_TEXT, (struct scan){source->at, source->at + len});
}
