/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that were deleted from maps but not printed yet (--clear), so that they survive a full
 * disk or a closed pipe. The file has one --json line per sample, which stack2line can read. It is
 * only accessible to its owner, in the current directory, $TMPDIR or /tmp, whichever is writable.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "model/frame.h"
#include "output/output.h"
#include "util/error.h"

struct spool {
	FILE *file; /* NULL: none */
	char *path;
	struct output *output;
	const struct output_options *options;
	uint64_t samples;     /* number of samples in the file */
	struct error *failed; /* first write error */
};

/* Creates the file. OPTIONS (of any format) must outlive RET, which must be zero-filled. */
struct error *spool_open(const struct output_options *options, struct spool *ret) must_check;
/* Writes N samples to the file. A write error is reported by spool_close(). */
void spool_add(struct spool *spool, const struct trace *traces, size_t n);
/* Empties the file, after its samples were printed. */
void spool_empty(struct spool *spool);
/*
 * Removes the file if it is empty, or SAVED: its samples are in another file too. Otherwise keeps
 * it and returns an error with its name and number of samples.
 */
struct error *spool_close(struct spool *spool, bool saved) must_check;
