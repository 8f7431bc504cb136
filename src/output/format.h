/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An output format. Formats only make text and output.c writes it, so that failed writes are
 * noticed in one place. To add a format, define this table in a new file, and add a line to
 * OUTPUT_FORMATS in output.h.
 */
#pragma once

#include <stddef.h>

#include "model/frame.h"
#include "output/output.h"
#include "util/text.h"

struct format {
	/* Returns the state of one output. Copies OPTIONS. */
	void *(*create)(const struct output_options *options);
	void (*destroy)(void *state);
	/* Adds to TEXT what can be printed of TRACE now, and keeps the rest in STATE. */
	void (*trace)(void *state, const struct trace *trace, struct text *text);
	/*
	 * Returns the number of pieces of text for what was kept. Called once, after the last
	 * trace. NULL if the format keeps nothing.
	 */
	size_t (*pieces)(void *state);
	/* Adds piece I to TEXT. */
	void (*piece)(const void *state, size_t i, struct text *text);
};

#define X(name, word, help) extern const struct format word##_format;
OUTPUT_FORMATS(X)
#undef X
/* With options->diff, instead of top_format and folded_format. */
extern const struct format diff_table_format, diff_folded_format;
