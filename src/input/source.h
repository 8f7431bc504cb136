/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file or stream as a window of bytes that parsers move over. [at, end) is what was read and not
 * yet consumed: parsers advance `at`, and ask source_more() for bytes after `end`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"
#include "util/log.h"
#include "util/scan.h"

#define SOURCE_CHUNK (512 << 10)    /* bytes asked of one read(2) */
#define SOURCE_LINE_MAX (1 << 20)   /* bytes; longer lines are skipped and reported */
#define SOURCE_SKIP_MAX (256 << 20) /* bytes that are skipped to find the end of a line */

/* Where the bytes come from; tests put their own here. */
struct source_reader {
	/* Like read(2): bytes read, 0 at the end, -1 with errno set. */
	ssize_t (*read)(void *context, void *buffer, size_t size);
	/* Whether read() would return at once. */
	bool (*ready)(void *context);
	void *context;
};

struct source {
	const char *at, *end;
	char *name;   /* for messages: the path, escaped, or "<stdin>" */
	bool regular; /* a regular file: never waits */
	bool ended;   /* nothing will come after `end` */
	bool failed;  /* ended by a read error, which is in the log */
	bool skipped; /* parts of it were, as is in the log */
	bool lasts;   /* what was piped in at once did not end at once */

	/* Called before a read that would wait, and while it does, so that what is ready can be shown. */
	struct error *(*before_wait)(void *context);
	void *wait_context;
	/* What before_wait() returned; the source has ended then. The reader of it hands it on. */
	struct error *failure;

	struct source_reader reader;
	struct log *log;
	int fd; /* to close, -1: none */
	char *data;
	size_t cap, chunk;   /* bytes: of DATA, and read at once */
	uint64_t base;	     /* offset in the file of data[0] */
	uint64_t lines;	     /* newlines before COUNTED */
	uint64_t line_start; /* offset in the file behind the last of them */
	const char *counted; /* in [data, at] */
};

/* Opens PATH. The error says why it cannot be read (a directory cannot). */
struct error *source_open(const char *path, struct log *log, struct source **ret) must_check;
/* A stream that reads by READER, CHUNK (at least 1) bytes at once. */
struct source *source_create(
	const char *name, struct source_reader reader, size_t chunk, struct log *log);
void source_destroy(struct source *source);
void source_cleanup(struct source **source);

/*
 * Reads at least one byte after `end`; false at the end. What is in [at, end) is kept but moves,
 * so pointers into it become stale.
 */
bool source_more(struct source *source);
/* Whether a byte is there, reading if need be. */
static inline bool source_has(struct source *source)
{
	return source->at < source->end || source_more(source);
}
/* Whether SIZE (small) bytes are there, reading if need be. */
bool source_has_bytes(struct source *source, size_t size);
/* Offset in the file of `at`, counted from 0. */
uint64_t source_offset(const struct source *source);
/* Line of `at`, counted from 1. */
uint64_t source_line_number(struct source *source);
/* Whether `at` is the first byte of a line. */
bool source_at_line_start(struct source *source);

struct source_line {
	const char *at;	 /* valid until the source moves on */
	size_t len;	 /* without newline or CR LF */
	uint64_t number; /* from 1 */
	bool cut;	 /* the source ended before a newline */
	bool skipped;	 /* it was longer than SOURCE_LINE_MAX, which is in the log; LEN is 0 */
};

/* The text of LINE, as long valid. */
static inline struct scan source_line_text(const struct source_line *line)
{
	return (struct scan){line->at, line->at + line->len};
}
/* "NAME:LINE" of line number LINE, for messages; the caller frees it. */
char *source_position(const struct source *source, uint64_t line);
/* Consumes one line; false at the end. */
bool source_line(struct source *source, struct source_line *ret);
/* Gives LINE back, which was the last thing read. */
void source_line_back(struct source *source, const struct source_line *line);
/*
 * Consumes up to and including the next newline. If that is too far the source is left, which is
 * in the log: it may have no end.
 */
void source_skip_line(struct source *source);
/* Ends the source where it is: nothing more is read. */
void source_leave(struct source *source);
