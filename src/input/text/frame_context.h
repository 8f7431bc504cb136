/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lines before a frame say of it: that it was interrupted, which build ID an object has.
 *
 *	<signal handler called>                     gdb: the next frame was interrupted
 *	# Problematic frame:                        Java: the next frame is where the signal came
 *	Native frames: (J=compiled Java code, …     likewise
 *	Module libfoo.so.1 with build-id 4fa9…      systemd-coredump
 *	Found module libfoo.so.1 with build-id: 4fa9…   likewise, older
 *	CPU: 1 PID: 2 Comm: prog Not tainted 6.1.0-13-amd64 #1 …    the kernel: its release
 */
#pragma once

#include <stdbool.h>

#include "input/text/blocks.h"
#include "input/text/frame_text.h"
#include "util/table.h"
#include "util/vec.h"

/* Zero-filled but for BLOCKS and RELEASE is empty. */
struct frame_context {
	struct tool_blocks *blocks;
	const char *release;  /* of the kernel that is looked into; NULL: not known */
	bool other_kernel;    /* the text is of another one, as far as it said */
	bool exact;	      /* the next frame is */
	struct table modules; /* their last component → index in ids */
	struct VEC(struct build_id) ids;
};

void frame_context_deinit(struct frame_context *context);
/* Takes in a line without frame. */
void frame_context_line(struct frame_context *context, struct scan line);
/* Adds to FRAME what is known of it. */
void frame_context_apply(struct frame_context *context, struct text_frame *frame);
