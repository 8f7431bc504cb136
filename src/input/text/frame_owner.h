/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose a frame with an address is, by the line above the stack that it stands in. The lines of
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

/* Zero-filled but for BLOCKS at the beginning of a text. */
struct frame_owners {
	struct tool_blocks *blocks;
	/* of lines that are gone */
	char above[256]; /* the last one that is in no stack */
	size_t len;	 /* of it; a longer one counts as empty */
	bool leaf_next;	 /* the next line may be the leaf of a user stack */
	/* of the lines that are there */
	const char *from;	  /* where the first one begins */
	const char *line;	  /* where that of the last frame begins; NULL: there was none */
	struct frame_owner owner; /* of that frame */
};

/* Whole lines, those from FROM on, take the place of those before. */
void frame_owners_begin(struct frame_owners *owners, const char *from);
/* These lines, up to END, go. */
void frame_owners_end(struct frame_owners *owners, const char *end);
/*
 * Sets the owner of FRAME, whose line begins at LINE, and makes it exact if it is the leaf of
 * its stack.
 */
void frame_owners_find(struct frame_owners *owners, const char *line, struct text_frame *frame);
