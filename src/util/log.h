/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notes for the user beside the result. All stages add notes, and cli/ prints them at the end.
 * Equal texts are counted, so that a dump with a thousand odd entries makes one line. Only the
 * first LOG_MAX texts are kept; the rest are counted.
 */
#pragma once

#include <stdint.h>

#include "util/vec.h"

#define LOG_MAX 256

enum log_level {
	LOG_DETAIL, /* shown with -v: normal on live systems (repeated keys, samples without stack) */
	LOG_EMPTY,   /* shown if nothing was read: a map has no entries */
	LOG_LOSS,    /* shown unless a summary of lost frames, which says the same, is printed */
	LOG_WARNING, /* always shown: something was lost, skipped or doubtful */
	LOG_LEVELS,
};

struct log_entry {
	enum log_level level;
	uint64_t count; /* number of occurrences, at least 1 */
	char *text;	/* one escaped line without newline; owned by the log */
};

struct log {
	struct VEC(struct log_entry) entries; /* in order of first appearance */
	uint64_t dropped;		      /* notes not kept because of LOG_MAX */
};

/* Frees the texts and empties the log. */
void log_deinit(struct log *log);
/* Adds COUNT to the entry with this level and text. Does nothing if COUNT is 0. */
void log_add(struct log *log, enum log_level level, uint64_t count, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
