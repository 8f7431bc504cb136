/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for the collector and the line reader in tests of the parsers: writes down what it is
 * given, one line a call. Also feeds bytes to a source in pieces of a chosen size.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/collector.h"
#include "input/source.h"
#include "util/log.h"
#include "util/text.h"

struct collector {
	struct text calls;
	bool quiet;	  /* write nothing down (fuzzing) */
	bool with_places; /* write places too */
	bool weighted;
	unsigned fail_at; /* the Nth event or line returns an error; 0: none */
	unsigned rows, events, flushes, completes;
	size_t touched; /* sum of all bytes given, so that sanitizers see them read */
};

/* Where collector_destroy() leaves the text, for that of input_read(); NULL: nowhere. */
extern struct text *recording_calls;

struct bytes {
	const char *at, *end;
	size_t step; /* at most so many bytes a read, 0: all */
};

/* A stream of BYTES; the caller keeps them. */
struct source *bytes_source(struct bytes *bytes, struct log *log);
/* All texts of LOG, one a line, as "warning: …" or "detail: …", " (N times)" behind if repeated. */
void log_text(const struct log *log, struct text *ret);
