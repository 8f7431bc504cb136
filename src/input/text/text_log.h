/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a stream of text in pieces, as they arrive, with the frames in it (frame_text.h). The
 * pieces contain every byte, in order. Most bytes are never examined.
 *
 * Other lines say more about some frames. Lines before them, without frames, say that the next
 * frame was interrupted, the build ID of an object, or the release of the kernel:
 *
 *	<signal handler called>                     gdb: the next frame was interrupted
 *	# Problematic frame:                        Java: the next frame was interrupted
 *	Native frames: (J=compiled Java code, …     likewise
 *	Module libfoo.so.1 with build-id 4fa9…      systemd-coredump
 *	Found module libfoo.so.1 with build-id: 4fa9…   likewise, older
 *	CPU: 1 PID: 2 Comm: prog Not tainted 6.1.0-13-amd64 #1 …    the kernel: its release
 *
 * The line above a stack, whose own lines begin with a blank or `#`, says which thread has it:
 *
 *	chain 24986/24986 [001] 68586.592577:    5025125 cpu-clock:pppH:        perf script
 *	Thread 2 (Thread 0x7f11c8a0b6c0 (LWP 24987) "worker"):                  gdb
 *	TID 24987:                                                              eu-stack
 */
#pragma once

#include <stddef.h>

#include "input/text/frame_text.h"
#include "util/error.h"

/* The frames are valid until the next piece, and their scans point into this one. */
struct text_log_piece {
	const char *data;
	size_t len; /* 0: end of the text */
	struct text_frame *frames;
	size_t n_frames;
};

struct text_log;

/*
 * Begins to read FD for frames of FORMS. NAME is its name in errors. RELEASE is the release of the
 * kernel that names come from, or NULL if unknown. All of these remain owned by the caller.
 */
struct text_log *text_log_create(
	int fd, const char *name, struct forms *forms, const char *release);
void text_log_cleanup(struct text_log **log);
/*
 * Reads the next piece as soon as bytes arrive: whole lines, or a part of a line longer than 64
 * KiB, in which no frames are searched. Strings of frames are allocated in MEMORY. RET is valid
 * until the next call.
 */
struct error *text_log_next(
	struct text_log *log, struct arena *memory, struct text_log_piece *ret) must_check;
