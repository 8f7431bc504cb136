/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the thread of a frame with an address, from the line above the frame's stack. The lines of
 * a stack begin with a blank or `#`.
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

/* Zero-filled except for BLOCKS at the beginning of a text. */
struct frame_owners {
	struct tool_blocks *blocks;
	/* earlier lines, no longer in memory */
	char above[256]; /* the last line outside a stack, without newline */
	size_t len;	 /* of ABOVE, in bytes; a line that does not fit counts as empty */
	bool leaf_next;	 /* the next line may be the leaf of a user stack */
	/* current lines */
	const char *from;	  /* start of the first line */
	const char *line;	  /* start of the last frame's line; NULL: none yet */
	struct frame_owner owner; /* owner of that frame */
};

/* Begins a run of whole lines at FROM, after those of the previous run. */
void frame_owners_begin(struct frame_owners *owners, const char *from);
/* Ends the run of lines at END. They need not stay in memory. */
void frame_owners_end(struct frame_owners *owners, const char *end);
/*
 * Sets the owner of FRAME, whose line begins at LINE, and marks FRAME as exact if it is the leaf of
 * its stack. Does nothing if the owner is known, or if VALUE is neither an
 * address nor printed by perf or with a build ID.
 */
void frame_owners_find(struct frame_owners *owners, const char *line, struct text_frame *frame);
