/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a dump by documents_read(), and writes the calls of the collector as recording.h does. */
#pragma once

#include "input/documents.h"
#include "mock_collector.h"

struct result {
	char *calls, *log;
	struct error *err;
	uint64_t used;
	unsigned flushes, completes;
};

/* Reads the LEN bytes at TEXT, at most STEP at once (0: all); the collector's event or line number
 * FAIL_AT fails (0: none). The result is for result_deinit(). */
struct result read_bytes(const char *text, size_t len, size_t step, unsigned fail_at);
void result_deinit(struct result *result);
/* Reads TEXT in pieces of several sizes and compares calls and log each time. */
void expect(const char *text, const char *calls, const char *log);
