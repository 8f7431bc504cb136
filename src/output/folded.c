// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/folded.h"

#include <stdlib.h>

#include "output/folded_lines.h"
#include "output/trace_path.h"
#include "util/xalloc.h"

struct folded {
	struct output_options options;
	struct trace_path path; /* numbers are those of FRAMES in LINES */
	struct folded_lines lines;
};

static uint32_t frame_number(void *context, struct text *name, const struct location *location,
	const struct frame *frame, bool kernel)
{
	struct folded *folded = context;

	(void)location;
	(void)frame;
	(void)kernel;
	text_add_char(name, ';');
	return folded_lines_frame(&folded->lines, name->data, name->len);
}

static void *folded_create(const struct output_options *options)
{
	struct folded *folded = xcalloc(1, sizeof(*folded));

	folded->options = *options;
	folded->path = (struct trace_path){.options = &folded->options,
		.number = frame_number,
		.context = folded,
		.none = "[no stack]"};
	return folded;
}

static void folded_destroy(void *state)
{
	struct folded *folded = state;

	trace_path_deinit(&folded->path);
	folded_lines_deinit(&folded->lines);
	free(folded);
}

static void folded_trace(void *state, const struct trace *trace, struct text *text)
{
	struct folded *folded = state;

	(void)text;
	trace_path_build(&folded->path, trace);
	folded_lines_add(&folded->lines, folded->path.frames.data, folded->path.frames.len,
		trace->sample->weight);
}

static size_t folded_pieces(void *state)
{
	struct folded *folded = state;

	return folded_lines_order(&folded->lines);
}

static void folded_piece(const void *state, size_t i, struct text *text)
{
	const struct folded *folded = state;

	folded_lines_print(&folded->lines, i, text);
}

const struct format folded_format = {
	folded_create, folded_destroy, folded_trace, folded_pieces, folded_piece};
