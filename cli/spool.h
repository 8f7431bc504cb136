/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was deleted from maps and is not printed yet (--clear), so that it outlives a full disk or a
 * closed pipe: one line of --json a sample, which stack2line reads back. The file is its owner's,
 * and stands in the current directory, $TMPDIR or /tmp, whichever can be written.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "model/frame.h"
#include "output/output.h"
#include "util/error.h"

struct spool {
	FILE *file; /* NULL: there is none */
	char *path;
	struct output *output;
	const struct output_options *options;
	uint64_t samples;     /* in it */
	struct error *failed; /* the first time that it could not be written */
};

/* A new file. OPTIONS (their format does not matter) must outlive RET, which is zero-filled. */
struct error *spool_open(const struct output_options *options, struct spool *ret) must_check;
void spool_add(struct spool *spool, const struct trace *trace);
/* What was added is in the file then, as far as there is room. */
void spool_flush(struct spool *spool);
/* What is in it was printed. */
void spool_empty(struct spool *spool);
/*
 * Removes the file, but not what it holds: the error names it then, and says how many samples there
 * are. SAVED: they are in another file as well.
 */
struct error *spool_close(struct spool *spool, bool saved) must_check;
