/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an output format is made of. Formats make text, output.c alone writes it: so a failed write
 * is noticed in one place. To add a format: a file with such a table, a line in output.h.
 */
#pragma once

#include <stddef.h>

#include "model/frame.h"
#include "output/output.h"
#include "util/text.h"

struct format {
	/* The state of one output; OPTIONS are copied. */
	void *(*create)(const struct output_options *options);
	void (*destroy)(void *state);
	/* Adds to TEXT what can be printed of TRACE now, and remembers the rest. */
	void (*trace)(void *state, const struct trace *trace, struct text *text);
	/*
	 * After the last trace: of how many pieces the text of what was remembered is. NULL: the
	 * format remembers nothing.
	 */
	size_t (*pieces)(void *state);
	/* Adds piece I to TEXT. */
	void (*piece)(const void *state, size_t i, struct text *text);
};
