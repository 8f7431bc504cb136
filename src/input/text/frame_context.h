/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects facts about frames from the lines before them: that the next frame was interrupted, the
 * build ID of an object, the release of the kernel.
 *
 *	<signal handler called>                     gdb: the next frame was interrupted
 *	# Problematic frame:                        Java: the next frame was interrupted
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

/* Zero-filled except for BLOCKS and RELEASE is empty. */
struct frame_context {
	struct tool_blocks *blocks;
	const char *release;  /* release of the kernel used for names; NULL: unknown */
	bool other_kernel;    /* the text last named another release */
	bool exact;	      /* the next frame has the address of an instruction */
	struct table modules; /* last component of a path → index in IDS */
	struct VEC(struct build_id) ids;
};

void frame_context_deinit(struct frame_context *context);
/* Reads a line that has no frame. */
void frame_context_line(struct frame_context *context, struct scan line);
/* Adds to FRAME what earlier lines said about it. */
void frame_context_apply(struct frame_context *context, struct text_frame *frame);
