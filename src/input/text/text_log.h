/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream of text, piece by piece as it comes, with the frames in it (frame_text.h). All bytes
 * come out, in order; most are never looked at.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/text/frame_text.h"
#include "util/error.h"

struct text_log_frame {
	struct text_frame frame; /* valid as long as the piece, into which its `text` points */
	struct scan line;	 /* without its newline */
	bool quoted;	   /* between double quotes: what goes there is to be written as in JSON */
	bool other_kernel; /* the text said before that it is of another kernel's release */
	bool follows;	   /* in the line of the frame before, or the one after that */
};

struct text_log_piece {
	const char *data;
	size_t len;			     /* 0: the text has ended */
	const struct text_log_frame *frames; /* in their order */
	size_t n_frames;
};

struct text_log;

/*
 * Reads FD, which is called NAME in errors, for frames of FORMS. RELEASE: of the kernel that
 * names are of; NULL: not known. All stay the caller's.
 */
struct text_log *text_log_create(
	int fd, const char *name, struct forms *forms, const char *release);
void text_log_cleanup(struct text_log **log);
/*
 * What came next, as soon as it is there: whole lines, or pieces of one that is longer than a
 * line with frames is ever looked at (64 KiB). RET is valid until the next call.
 */
struct error *text_log_next(struct text_log *log, struct text_log_piece *ret) must_check;
