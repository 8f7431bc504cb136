/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose a frame with an address is, by the line above the stack that it stands in. The lines of a stack begin with
 * a blank or `#`.
 *
 *	chain 24986/24986 [001] 68586.592577:    5025125 cpu-clock:pppH:        perf script
 *	Thread 2 (Thread 0x7f11c8a0b6c0 (LWP 24987) "worker"):                  gdb
 *	TID 24987:                                                              eu-stack
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "input/text/blocks.h"
#include "input/text/frame_text.h"
#include "util/scan.h"

/* What of the lines is needed when they are gone. Zero-filled: there were none. */
struct frame_lines {
	char above[256]; /* the last one that is in no stack */
	size_t len;	 /* of it; a longer one counts as empty */
	bool leaf_next;	 /* the next line may be the leaf of a user stack */
};

/* Whole lines go, those from FROM to END. */
void frame_lines_pass(struct frame_lines *lines, const char *from, const char *end);
/*
 * Sets the owner of FRAME, whose line begins at LINE; whole lines stand before it, from FROM on, and before those LINES.
 * BEFORE is the owner of the frame before, whose line begins at LAST, or NULL: only the lines between are read.
 * What is the leaf of its stack becomes exact.
 */
void frame_owner_find(struct tool_blocks *blocks, const struct frame_lines *lines, const char *from,
	const char *line, const char *last, const struct frame_owner *before,
	struct text_frame *frame);
