/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that `record` writes. It gets its name when its header is in it, and whatever had the name
 * before keeps it until then: at no moment is there a file that is no recording.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct record_file {
	int fd; /* to write to */
	const char *path;
	char *temporary; /* its name until it is published, NULL: it has its own, or is standard output */
	bool unnamed;  /* TEMPORARY is not there yet */
	bool segments; /* what has the name before becomes a segment (util/segments.h) */
	uint64_t max_bytes, max_age; /* of all segments; seconds; 0: no limit */
};

/*
 * PATH ("-": standard output) must outlive RET. ERROR_USAGE if something is there that is neither
 * empty nor a recording, or is not this user's.
 */
struct error *record_file_open(const char *path, struct record_file *ret) must_check;
/* Ends FILE and opens the next segment, which is to be published in its place. */
struct error *record_file_next(struct record_file *file) must_check;
/*
 * Gives the file its name; a recording that has it becomes PATH.old, or a segment. Segments that are too
 * old or too many, SPARE bytes included, are deleted.
 */
struct error *record_file_publish(struct record_file *file, uint64_t spare) must_check;
/* Closes the file; the error is a failed write. One that was not published is gone. */
struct error *record_file_close(struct record_file *file) must_check;
