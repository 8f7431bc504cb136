/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output file of `record`. It gets its name once it has a header; an earlier file keeps the
 * name until then. So the name never belongs to a file that is not a recording.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct record_file {
	int fd; /* to write to */
	const char *path;
	char *temporary;	     /* temporary name; NULL: published, or standard output */
	bool unnamed;		     /* TEMPORARY does not exist yet */
	bool segments;		     /* an earlier file becomes a segment (util/file.h) */
	uint64_t max_bytes, max_age; /* limits of all segments; seconds; 0: none */
	uint64_t segment_bytes;	     /* limit of one segment; 0: none */
};

/*
 * Opens a file for PATH ("-": standard output), which must outlive RET. Returns ERROR_USAGE if PATH
 * exists and is neither empty nor a recording, or is another user's.
 */
struct error *record_file_open(const char *path, struct record_file *ret) must_check;
/*
 * Closes the struct record_file CONTEXT and opens the next segment, which record_file_publish()
 * puts in its place. For record_options.next.
 */
struct error *record_file_next(void *context, int *fd_ret) must_check;
/*
 * Gives the struct record_file CONTEXT its name. An earlier recording becomes PATH.old, or a
 * segment. Deletes segments that are too old, or too large in sum with the next one. For
 * record_options.begun.
 */
struct error *record_file_publish(void *context) must_check;
/* Closes the file, and deletes it if it was not published. Returns an error if a write failed. */
struct error *record_file_close(struct record_file *file) must_check;
