// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/frame_owner.h"

#include <string.h>

#define KERNEL_START 0xff00000000000000ULL

static bool is_in_stack(struct scan line)
{
	return scan_starts(line, " ") || scan_starts(line, "\t") || scan_starts(line, "#");
}

/* Returns, without its newline, the line whose newline ends at END. FROM: start of all lines. */
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

void frame_owners_begin(struct frame_owners *owners, const char *from)
{
	owners->from = from;
	owners->line = NULL;
}

void frame_owners_end(struct frame_owners *owners, const char *end)
{
	const char *at = end;
	struct scan line = {end, end};

	while (at > owners->from) {
		line = line_before(owners->from, at);
		if (at == end)
			owners->leaf_next = !is_in_stack(line) || is_kernel(line);
		at = line.at;
		if (!is_in_stack(line))
			break;
	}
	if (end == owners->from || is_in_stack(line))
		return;
	owners->len = scan_left(&line) <= sizeof(owners->above) ? scan_left(&line) : 0;
	memcpy(owners->above, line.at, owners->len);
}

/* Returns the owner named by LINE, if it is the head of a block of the tool that prints FORM. */
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

/*
 * Searches back from LINE, the line of FRAME, for the line above the stack. Stops at the line of
 * the previous frame, which then has the same owner.
 */
static void look_back(struct frame_owners *owners, const char *line, struct text_frame *frame)
{
	struct scan above = {line, line};
	bool in_stack = true, leaf = owners->leaf_next, same = false;

	for (const char *at = line; at > owners->from && in_stack && !same; at = above.at) {
		above = line_before(owners->from, at);
		in_stack = is_in_stack(above);
		same = in_stack && above.at == owners->line;
		if (at == line)
			leaf = !in_stack || is_kernel(above);
	}
	/*
	 * Leaves printed by perf are exact, and so are those of bpftrace, whose stacks are
	 * indented. The origin of other bare addresses is unknown.
	 */
	frame->exact |=
		leaf && (frame->form == TEXT_PERF ||
				((frame->form == TEXT_ALONE || frame->form == TEXT_BUILD_ID) &&
					(*line == ' ' || *line == '\t')));
	if (in_stack)
		above = (struct scan){owners->above, owners->above + owners->len};
	if (!same)
		owners->owner = read_owner(owners->blocks, above, frame->form);
}

void frame_owners_find(struct frame_owners *owners, const char *line, struct text_frame *frame)
{
	if (frame->owner.tid >= 0 || (frame->counts != TEXT_ADDRESS && frame->form != TEXT_PERF &&
					     frame->form != TEXT_BUILD_ID))
		return;
	if (owners->line != line)
		look_back(owners, line, frame);
	frame->owner = owners->owner;
	owners->line = line;
}
