/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the user should know beside the result. Stages add notes, cli/ prints them at the end; equal
 * texts are counted, so a dump with a thousand odd entries makes one line. At most LOG_MAX texts
 * are kept, what comes after is only counted.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define LOG_MAX 256

enum log_level {
	LOG_DETAIL, /* shown with -v: normal on live systems (repeated keys, samples without stack) */
	LOG_LOSS,   /* shown where no summary of lost frames is, which says the same */
	LOG_WARNING, /* always shown: something was lost, skipped or doubtful */
	LOG_LEVELS,
};

struct log_entry {
	enum log_level level;
	uint64_t count; /* how often, at least 1 */
	char *text;	/* one line without newline, already escaped; owned by the log */
};

struct log {
	struct log_entry *entries; /* in order of first appearance */
	size_t len, cap;
	uint64_t dropped; /* texts beyond LOG_MAX */
};

/* Zero-filled is an empty log. Frees the texts. */
void log_deinit(struct log *log);
/* Adds COUNT to the entry with this level and text; a COUNT of 0 adds nothing. */
void log_add(struct log *log, enum log_level level, uint64_t count, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
