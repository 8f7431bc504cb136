// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/folded.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "model/stack.h"
#include "output/trace_path.h"
#include "util/sort.h"
#include "util/number.h"
#include "util/xalloc.h"

/* Frames are copied without a look at their length up to this many bytes, which most have. */
enum { FRAME_COPY = 32 };

void folded_lines_deinit(struct folded_lines *lines)
{
	arena_deinit(&lines->texts);
	table_deinit(&lines->frame_numbers);
	vec_deinit(&lines->frames);
	table_deinit(&lines->lines);
	text_deinit(&lines->codes);
	vec_deinit(&lines->sorted);
}

uint32_t folded_lines_frame(struct folded_lines *lines, const char *text, size_t len)
{
	uint64_t number = table_number(&lines->frame_numbers, text, len);

	if (number <= lines->frames.len)
		return (uint32_t)(number - 1);
	char *copy = arena_alloc(&lines->texts, len + FRAME_COPY);
	memcpy(copy, text, len);
	memset(copy + len, 0, FRAME_COPY);
	vec_push(&lines->frames, (struct folded_frame){.text = copy, .len = (uint32_t)len});
	return (uint32_t)(number - 1);
}

void folded_lines_add(struct folded_lines *lines, const uint32_t *frames, size_t n, uint64_t weight)
{
	varint_write_all(&lines->codes, frames, n);
	weight_add(table_at(&lines->lines, lines->codes.data, lines->codes.len, NULL), weight);
}

/* ---- sorting -------------------------------------------------------------------------------- */

/* A text to rank, and where to store its rank. */
struct ranked {
	uint64_t head; /* head_of() of the text */
	const char *text;
	size_t len;
	uint32_t *rank;
};

COMPARE(compare_ranked, struct ranked,
	order_of(a->head, b->head) ?: memcmp(a->text, b->text, a->len < b->len ? a->len : b->len) ?: order_of(a->len, b->len))

/*
 * Returns the first 8 bytes of TEXT as a big-endian number, padded with zeros. No text contains
 * zeros.
 */
static uint64_t head_of(const char *text, size_t len)
{
	uint64_t head = 0;

	memcpy(&head, text, len < sizeof(head) ? len : sizeof(head));
	return be64toh(head);
}

/*
 * Ranks the frames so that the ranks of lines compare like memcmp() of the printed lines. Each
 * frame has two ranks: with its ';', and without it as the last frame of a line. No text with its
 * ';' is a prefix of another text. A text without it is ranked before those that it is a prefix of,
 * and nothing follows it in its line.
 */
static void rank_frames(struct folded_lines *lines)
{
	struct VEC(struct ranked) order = {};

	vec_reserve(&order, 2 * lines->frames.len);
	vec_each(frame, &lines->frames) {
		vec_push(&order, (struct ranked){head_of(frame->text, frame->len), frame->text,
					 frame->len, &frame->rank});
		vec_push(&order, (struct ranked){head_of(frame->text, frame->len - 1), frame->text,
					 frame->len - 1, &frame->last_rank});
	}
	radix_sort_by(order.data, order.len, sizeof(*order.data), compare_ranked);
	for (size_t i = 0; i < order.len; i++)
		*order.data[i].rank = (uint32_t)(i + 1);
	lines->key_bits = 1;
	while (order.len >> lines->key_bits)
		lines->key_bits++;
	vec_deinit(&order);
}

/*
 * Sets the key to the ranks of the next frames, highest bits first, as many as fit. The bits after
 * the last frame of the line are 0.
 */
static void set_key(const struct folded_lines *lines, struct folded_line *sorted)
{
	const uint8_t *codes = (const uint8_t *)sorted->line->key;
	const uint8_t *at = codes + sorted->next, *end = codes + sorted->line->key_len;
	unsigned int left = 64;

	sorted->key = 0;
	while (at < end && left >= lines->key_bits) {
		const struct folded_frame *frame = &lines->frames.data[varint_next(&at)];

		left -= lines->key_bits;
		sorted->key |= (uint64_t)(at == end ? frame->last_rank : frame->rank) << left;
	}
	sorted->next = (uint32_t)(at - codes);
}

COMPARE(compare_keys, struct folded_line, order_of(a->key, b->key))

/* Lines [START, END) that have the same frames before their next keys. */
struct line_range {
	size_t start, end;
};

/*
 * Sorts the lines by their first few frames, then those where these are equal by the next few. Most
 * lines share a long beginning with others. This way each line is read once per key, not once per
 * comparison, which would mostly miss the CPU's caches.
 */
size_t folded_lines_order(struct folded_lines *lines)
{
	struct VEC(struct line_range) ranges = {};
	struct folded_line *sorted;

	rank_frames(lines);
	vec_reserve(&lines->sorted, lines->lines.len);
	array_each(slot, lines->lines.slots, lines->lines.cap)
		if (slot->key)
			vec_push(&lines->sorted, (struct folded_line){.line = slot});
	sorted = lines->sorted.data;
	if (lines->sorted.len)
		vec_push(&ranges, (struct line_range){0, lines->sorted.len});
	while (ranges.len) {
		const struct line_range range = ranges.data[--ranges.len];

		for (size_t i = range.start; i < range.end; i++)
			set_key(lines, &sorted[i]);
		radix_sort_by(sorted + range.start, range.end - range.start, sizeof(*sorted),
			compare_keys);
		for (size_t i = range.start, end; i < range.end; i = end) {
			for (end = i + 1; end < range.end && sorted[end].key == sorted[i].key;)
				end++;
			if (end - i > 1)
				vec_push(&ranges, (struct line_range){i, end});
		}
	}
	vec_deinit(&ranges);
	return lines->sorted.len;
}

void folded_lines_print(const struct folded_lines *lines, size_t i, struct text *text)
{
	const struct table_slot *line = lines->sorted.data[i].line;
	const struct folded_frame *frames = lines->frames.data;
	const uint8_t *at = (const uint8_t *)line->key, *end = at + line->key_len;

	while (at < end) {
		const struct folded_frame *frame = &frames[varint_next(&at)];
		const char *from = frame->text;
		size_t len = frame->len;

		text_reserve(text, len + FRAME_COPY);
		char *to = text->data + text->len;
		memcpy(to, from, FRAME_COPY);
		if (len > FRAME_COPY)
			memcpy(to, from, len);
		text->len += len;
	}
	text->data[text->len - 1] = ' ';
	text_add_decimal(text, line->value);
	text_add_char(text, '\n');
}

/* ---- format --------------------------------------------------------------------------------- */

struct folded {
	struct output_options options;
	struct trace_path path; /* frame numbers are indexes of lines.frames */
	struct folded_lines lines;
};

static uint32_t frame_number(void *context, struct text *name, const struct path_frame *frame)
{
	struct folded *folded = context;

	(void)frame;
	text_add_char(name, ';');
	return folded_lines_frame(&folded->lines, name->data, name->len);
}

static void *folded_create(const struct output_options *options)
{
	struct folded *folded = xnew(folded);

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
