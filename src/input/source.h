/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file or stream, of which parsers see a window of bytes. [at, end) was read but not yet
 * consumed: parsers advance `at`, and call source_more() for bytes after `end`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"
#include "util/log.h"
#include "util/scan.h"

#define SOURCE_CHUNK (512 << 10)    /* bytes per read(2) */
#define SOURCE_LINE_MAX (1 << 20)   /* bytes; longer lines are skipped and reported */
#define SOURCE_SKIP_MAX (256 << 20) /* bytes skipped in search of a newline */

/* How bytes are read. Tests use their own. */
struct source_reader {
	/* Like read(2): returns the bytes read, 0 at the end, or -1 with errno set. */
	ssize_t (*read)(void *context, void *buffer, size_t size);
	/* Returns true if read() would not block. */
	bool (*ready)(void *context);
	void *context;
};

struct source {
	const char *at, *end;
	char *name;   /* for messages: the escaped path, or "<stdin>" */
	bool regular; /* a regular file, which never blocks */
	bool ended;   /* no bytes follow `end` */
	bool failed;  /* ended by a read error, as logged */
	bool skipped; /* parts were skipped, as logged */
	bool lasts;   /* true once comes_at_once() has waited */

	/* Called before a read that would block, then every 250 ms, to show what is ready; or NULL. */
	struct error *(*before_wait)(void *context);
	void *wait_context;
	/* error of before_wait(), which ended the source; documents_read() returns it */
	struct error *failure;

	struct source_reader reader;
	struct log *log;
	int fd; /* to be closed unless it is standard input; -1: none */
	char *data;
	size_t cap, chunk;   /* in bytes: of DATA, and per read */
	uint64_t base;	     /* file offset of data[0] */
	uint64_t lines;	     /* number of newlines before COUNTED */
	uint64_t line_start; /* file offset after the last of these newlines */
	const char *counted; /* newlines before this are counted; in [data, at] */
};

/* Opens PATH; "-" is standard input. The error says why it cannot be read. */
struct error *source_open(const char *path, struct log *log, struct source **ret) must_check;
/* Creates a stream that uses READER and reads CHUNK (at least 1) bytes at once. */
struct source *source_create(
	const char *name, struct source_reader reader, size_t chunk, struct log *log);
void source_destroy(struct source *source);
CLEANUP_OF(source)

/*
 * Reads at least one byte after `end`. Returns false at the end. [at, end) is kept but may move,
 * which invalidates pointers into it.
 */
bool source_more(struct source *source);
/* Returns true if there is another byte; reads if necessary. */
static inline bool source_has(struct source *source)
{
	return source->at < source->end || source_more(source);
}
/* Returns true if there are SIZE more bytes, which must be few; reads if necessary. */
static inline bool source_has_bytes(struct source *source, size_t size)
{
	while ((size_t)(source->end - source->at) < size)
		if (!source_more(source))
			return false;
	return true;
}
/* Returns the file offset of `at`. */
uint64_t source_offset(const struct source *source);
/* Returns the line number of `at`, from 1. */
uint64_t source_line_number(struct source *source);
/* Returns true if `at` is the first byte of a line. */
bool source_at_line_start(struct source *source);

struct source_line {
	const char *at;	 /* valid until more is read */
	size_t len;	 /* without newline or CR LF */
	uint64_t number; /* line number, from 1 */
	bool cut;	 /* the source ended before a newline */
	bool skipped;	 /* longer than SOURCE_LINE_MAX, as logged; LEN is 0 */
};

/* Returns the text of LINE, which is valid as long as LINE. */
static inline struct scan source_line_text(const struct source_line *line)
{
	return (struct scan){line->at, line->at + line->len};
}
/* Returns "NAME:LINE" for messages, which the caller frees. */
char *source_position(const struct source *source, uint64_t line);
/* Consumes one line. Returns false at the end. */
bool source_line(struct source *source, struct source_line *ret);
/* Unreads LINE, which must be the last thing read. */
void source_line_back(struct source *source, const struct source_line *line);
/*
 * Consumes up to and including the next newline. If there is none within SOURCE_SKIP_MAX bytes,
 * logs that and ends the source, which may be endless.
 */
void source_skip_line(struct source *source);
/* Drops the rest of the source. */
void source_leave(struct source *source);
