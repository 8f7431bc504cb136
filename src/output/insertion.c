// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/insertion.h"

#include "output/label.h"

static bool has_line(const struct frame *frame)
{
	return frame->file && *frame->file && frame->line;
}

bool insertion_is_useful(const struct insertion_frame *frame)
{
	const struct location *location = frame->location;
	const struct frame *function = &location->frames[location->n_frames - 1];

	return function->function &&
	       (!frame->named || has_line(function) || location->n_frames > 1);
}

/*
 * Adds `NAME FILE:LINE` or, with PARENTHESES, `NAME (FILE:LINE)`. BARE: leaves out the name if
 * there is a line.
 */
static void add_frame(struct text *text, const struct frame *frame, bool bare, bool parentheses,
	const struct output_options *options)
{
	const char *name = frame->function ?: "??";
	bool line = has_line(frame);

	if (!bare || !line) {
		size_t start = text->len;

		text_add_escaped_string(text, name);
		if (frame->function)
			label_end_name(text, start);
		if (!line && frame->has_offset) {
			text_add_char(text, '+');
			text_add_hex(text, frame->offset);
		}
		if (frame->qualifier)
			text_printf_escaped(text, " %s", frame->qualifier);
		if (line)
			text_add_char(text, ' ');
	}
	if (!line)
		return;
	text_printf_escaped(text, parentheses ? "(%s:%u)" : "%s:%u",
		label_file(frame->file, options), frame->line);
}

void insertion_add(struct text *text, enum insertion how, const struct insertion_frame *frame,
	const struct output_options *options)
{
	const struct location *location = frame->location;
	bool replace = how == INSERT_REPLACE;
	size_t first = how == INSERT_LINES ? location->n_frames - 1 : 0;

	if (!replace)
		text_add_string(text, " (");
	for (size_t i = first; i < location->n_frames; i++) {
		if (i > first)
			text_add_string(text, ", inlined in ");
		bool bare = frame->named && !replace && i + 1 == location->n_frames;
		add_frame(text, &location->frames[i], bare, replace, options);
	}
	if (frame->doubtful || location->doubtful)
		text_add_string(text, " ?");
	if (!replace)
		text_add_char(text, ')');
}

void insertion_add_line(struct text *text, const struct insertion_frame *frame, size_t i,
	const struct output_options *options)
{
	add_frame(text, &frame->location->frames[i], false, true, options);
	text_add_string(text, " (inlined)");
	if (frame->doubtful || frame->location->doubtful)
		text_add_string(text, " ?");
}
