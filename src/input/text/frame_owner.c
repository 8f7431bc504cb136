// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/frame_owner.h"

#include <string.h>

#define KERNEL_START 0xff00000000000000ULL

static bool is_in_stack(struct scan line)
{
	return scan_starts(line, " ") || scan_starts(line, "\t") || scan_starts(line, "#");
}

/* The line that ends at END, with its newline. */
static struct scan line_before(const char *from, const char *end)
{
	const char *newline = end - 1 > from ? memrchr(from, '\n', (size_t)(end - 1 - from)) : NULL;
	struct scan line = {newline ? newline + 1 : from, end - 1};

	line.end -= scan_left(&line) && line.end[-1] == '\r';
	return line;
}

static bool is_kernel(struct scan line)
{
	uint64_t address;

	scan_blanks(&line);
	return scan_hex(&line, &address) && address >= KERNEL_START;
}

void frame_lines_pass(struct frame_lines *lines, const char *from, const char *end)
{
	const char *at = end;
	struct scan line = {end, end};

	while (at > from) {
		line = line_before(from, at);
		if (at == end)
			lines->leaf_next = !is_in_stack(line) || is_kernel(line);
		at = line.at;
		if (!is_in_stack(line))
			break;
	}
	if (end == from || is_in_stack(line))
		return;
	lines->len = scan_left(&line) <= sizeof(lines->above) ? scan_left(&line) : 0;
	memcpy(lines->above, line.at, lines->len);
}

/* Reads the head of a block of the tool that prints FORM, if LINE is one. */
static struct frame_owner read_owner(
	struct tool_blocks *blocks, struct scan line, enum text_frame_form form)
{
	enum block_tool tool = form == TEXT_PERF       ? TOOL_PERF
			       : form == TEXT_GDB      ? TOOL_GDB
			       : form == TEXT_EU_STACK ? TOOL_EU_STACK
						       : TOOLS;
	struct pattern_match match;
	enum line_act act;

	if (tool == TOOLS || !blocks_line(blocks, tool, line, &act, &match) || act != LINE_HEAD)
		match = (struct pattern_match){};
	return frame_owner_of(&match);
}

void frame_owner_find(struct tool_blocks *blocks, const struct frame_lines *lines, const char *from,
	const char *line, const char *last, const struct frame_owner *before,
	struct text_frame *frame)
{
	struct scan above = {line, line};
	bool in_stack = true, leaf = lines->leaf_next, same = false;

	for (const char *at = line; at > from && in_stack && !same; at = above.at) {
		above = line_before(from, at);
		in_stack = is_in_stack(above);
		same = in_stack && above.at == last;
		if (at == line)
			leaf = !in_stack || is_kernel(above);
	}
	/* Of bpftrace, too, whose stacks are indented; else nobody knows where an address alone is from. */
	frame->exact |=
		leaf && (frame->form == TEXT_PERF ||
				((frame->form == TEXT_ALONE || frame->form == TEXT_BUILD_ID) &&
					(*line == ' ' || *line == '\t')));
	if (in_stack)
		above = (struct scan){lines->above, lines->above + lines->len};
	if (same)
		frame->owner = *before;
	else
		frame->owner = read_owner(blocks, above, frame->form);
}
