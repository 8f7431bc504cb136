/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings from text, for tests, and what a process had mapped by them. */
#pragma once

#include <check.h>
#include <string.h>

#include "packed_recording.h"
#include "process/recording/process_record.h"
#include "process/recording/recording.h"
#include "util/error.h"
#include "util/text.h"

static const char head[] = "host here x86_64 6.18\nbegin 1 1\n";

static inline struct recording *parse_bytes(const char *bytes, size_t len)
{
	struct recording *recording = NULL;
	struct error *error = recording_parse("r", bytes, len, "here", &recording);

	ck_assert_msg(!error, "%s", error ? error_message(error) : "");
	return recording;
}

/* The recording of the lines TEXT. The bytes are leaked, as it points into them. */
static inline struct recording *parse_text(const char *text)
{
	static struct text bytes[64];
	static size_t n;
	struct text *packed = &bytes[n++ % 64];

	text_clear(packed);
	ck_assert(pack_recording(text, strlen(text), 1 << 20, packed));
	return parse_bytes(packed->data, packed->len);
}

/* HEAD and the rest. */
static inline struct recording *parse(const char *lines)
{
	struct text text = {};

	text_printf(&text, "%s%s", head, lines);
	struct recording *recording = parse_text(text.data);
	text_deinit(&text);
	return recording;
}

/* The file at an address of PID, or why it has none. */
static inline const char *path_at(
	struct recording *recording, int64_t pid, uint64_t time, uint64_t address)
{
	bool ambiguous;
	const struct process_record *record = process_record_of(recording, pid, time, &ambiguous);
	const struct mapping *mapping = record ? process_record_find(record, time, address) : NULL;

	return ambiguous	    ? "several records"
	       : !record	    ? "no record"
	       : !mapping	    ? "nothing"
	       : mapping->ambiguous ? "?"
				    : mapping->path;
}
