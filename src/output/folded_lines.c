// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/folded_lines.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "model/weight.h"
#include "util/cleanup.h"
#include "util/order.h"
#include "util/radix.h"
#include "util/worker.h"

/* Short frames, which most are, are copied without looking at their length: this many bytes. */
enum { FRAME_COPY = 32 };
/* As many as are worth waking a thread for. */
enum { RECENT_WORDS = 1 << 16 };
/* Of a line that will be wanted soon. */
enum { CACHE_LINE = 64, FETCH_MAX = 1024 };
enum { SAME_LINE = UINT32_MAX };

void folded_lines_deinit(struct folded_lines *lines)
{
	worker_destroy(lines->worker);
	vec_deinit(&lines->recent);
	vec_deinit(&lines->entered);
	table_deinit(&lines->frame_numbers);
	vec_deinit(&lines->frames);
	arena_deinit(&lines->texts);
	table_deinit(&lines->run_numbers);
	vec_deinit(&lines->runs);
	vec_deinit(&lines->run_frames);
	line_set_deinit(&lines->lines);
	vec_deinit(&lines->sorted);
}

static uint32_t frame_number(struct folded_lines *lines, const char *text, size_t len)
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

uint32_t folded_lines_run(struct folded_lines *lines, const char *text, size_t len)
{
	size_t first = lines->run_frames.len;
	const char *end = text + len;

	for (const char *at = text, *next; at < end; at = next) {
		const char *semicolon = memchr(at, ';', (size_t)(end - at));

		next = semicolon ? semicolon + 1 : end;
		vec_push(&lines->run_frames, frame_number(lines, at, (size_t)(next - at)));
	}
	const uint32_t *frames = lines->run_frames.data + first;
	size_t n = lines->run_frames.len - first;
	struct folded_frame *only = n == 1 ? &lines->frames.data[*frames] : NULL;
	bool added = only && !only->run;
	uint64_t *number =
		only ? NULL : table_at(&lines->run_numbers, frames, n * sizeof(*frames), &added);
	if (!added) {
		lines->run_frames.len = first;
		return only ? only->run - 1 : (uint32_t)*number;
	}
	if (only)
		only->run = (uint32_t)lines->runs.len + 1;
	else
		*number = lines->runs.len;
	vec_push(&lines->runs, (struct folded_run){only ? only->text : NULL, (uint32_t)len,
				       (uint32_t)first, (uint32_t)n});
	return (uint32_t)lines->runs.len - 1;
}

/* A line as the worker gets it; its runs' numbers stand after it. */
struct recent_line {
	uint64_t n, weight;
};

enum { LINE_WORDS = sizeof(struct recent_line) / sizeof(uint32_t) };

static void enter_lines(void *context)
{
	struct folded_lines *lines = context;
	const uint32_t *words = lines->entered.data;
	struct recent_line line;

	for (size_t at = 0; at < lines->entered.len; at += line.n) {
		memcpy(&line, words + at, sizeof(line));
		at += LINE_WORDS;
		line_set_add(&lines->lines, words + at, line.n, line.weight);
	}
	lines->entered.len = 0;
}

/* Nobody enters lines meanwhile. */
static void turn_over(struct folded_lines *lines)
{
	__auto_type recent = lines->recent;

	lines->recent = lines->entered;
	lines->entered = recent;
}

static void hand_over(struct folded_lines *lines)
{
	if (!lines->worker)
		lines->worker = worker_create(enter_lines, lines);
	worker_wait(lines->worker);
	turn_over(lines);
	worker_run(lines->worker);
}

void folded_lines_add(struct folded_lines *lines, const uint32_t *runs, size_t n, uint64_t weight)
{
	const struct recent_line line = {n, weight};
	uint32_t words[LINE_WORDS];

	memcpy(words, &line, sizeof(line));
	vec_append(&lines->recent, words, LINE_WORDS);
	vec_append(&lines->recent, runs, n);
	if (lines->recent.len >= RECENT_WORDS)
		hand_over(lines);
}

/* ---- order ---- */

/* A frame as text to be ordered, and where its place in the order is wanted. */
struct ranked {
	uint64_t head; /* of the text, as a number */
	const char *text;
	size_t len;
	uint32_t *rank;
};

COMPARE(compare_ranked, struct ranked,
	order_of(a->head, b->head) ?: memcmp(a->text, b->text, a->len < b->len ? a->len : b->len) ?: order_of(a->len, b->len))

/* The first bytes of a frame, behind which zeros stand; no text has zeros in it. */
static uint64_t head_of(const char *text, size_t len)
{
	uint64_t head;

	memcpy(&head, text, sizeof(head));
	unsigned int behind = len < sizeof(head) ? (unsigned int)(8 * (sizeof(head) - len)) : 0;
	return len ? be64toh(head) >> behind << behind : 0;
}

/*
 * Ranks order lines as memcmp() of what is printed would. No frame with its ';' is the beginning of
 * another text; one without it, the last of a line, stands before those which it begins, and is followed
 * by nothing.
 */
static void rank_frames(struct folded_lines *lines)
{
	struct VEC(struct ranked) order = {};

	vec_reserve(&order, 2 * lines->frames.len);
	for (size_t i = 0; i < lines->frames.len; i++) {
		struct folded_frame *frame = &lines->frames.data[i];

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

/* The ranks of the frames after those of the last key, highest bits first; 0: the line has ended. */
static void set_key(const struct folded_lines *lines, struct folded_line *sorted)
{
	const uint8_t *at = sorted->line->codes + sorted->next,
		      *end = sorted->line->codes + sorted->line->len;
	uint32_t frame = sorted->frame;
	unsigned int left = 64;

	sorted->key = 0;
	for (const uint8_t *next = at; at < end; at = next, frame = 0) {
		const struct folded_run *run = &lines->runs.data[varint_next(&next)];
		const uint32_t *numbers = lines->run_frames.data + run->first;

		for (; frame < run->n && left >= lines->key_bits; frame++) {
			const struct folded_frame *one = &lines->frames.data[numbers[frame]];
			bool last = next == end && frame + 1 == run->n;

			left -= lines->key_bits;
			sorted->key |= (uint64_t)(last ? one->last_rank : one->rank) << left;
		}
		if (frame < run->n)
			break;
	}
	sorted->next = (uint32_t)(at - sorted->line->codes);
	sorted->frame = frame;
}

COMPARE(compare_keys, struct folded_line, order_of(a->key, b->key))

/* Whether a key has as many frames as it can have. */
static bool is_full(const struct folded_lines *lines, uint64_t key)
{
	return key << (64 - 64 % lines->key_bits - lines->key_bits) != 0;
}

/* Lines [START, END) begin with the same frames, up to the next ones. */
struct line_range {
	size_t start, end;
};

/*
 * Most lines have long beginnings in common with others. They are ordered by their first few frames, and
 * those of which these are all the same by the next few: each line is read once for each of its keys, and
 * not in each comparison, for which it would have to be fetched from anywhere in memory.
 */
static void sort_lines(struct folded_lines *lines)
{
	struct VEC(struct line_range) ranges = {};
	struct folded_line *sorted;

	rank_frames(lines);
	vec_reserve(&lines->sorted, lines->lines.lines.len);
	for (size_t i = 0; i < lines->lines.lines.len; i++)
		vec_push(&lines->sorted, (struct folded_line){.line = lines->lines.lines.data[i]});
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
			if (end - i > 1 && is_full(lines, sorted[i].key))
				vec_push(&ranges, (struct line_range){i, end});
			else
				for (size_t j = i + 1; j < end; j++)
					sorted[j].frame = SAME_LINE;
		}
	}
	vec_deinit(&ranges);
}

static void merge_lines(struct folded_lines *lines)
{
	size_t kept = 0;

	for (size_t i = 0; i < lines->sorted.len; i++) {
		struct line *line = lines->sorted.data[i].line;

		if (lines->sorted.data[i].frame == SAME_LINE)
			weight_add(&lines->sorted.data[kept - 1].line->weight, line->weight);
		else
			lines->sorted.data[kept++].line = line;
	}
	lines->sorted.len = kept;
}

size_t folded_lines_order(struct folded_lines *lines)
{
	worker_destroy(take(lines->worker));
	turn_over(lines);
	enter_lines(lines);
	sort_lines(lines);
	merge_lines(lines);
	return lines->sorted.len;
}

/* ---- printing ---- */

/* Line I is needed soon, and the one 4 after it not long after: they lie anywhere in memory. */
static void fetch_line(const struct folded_lines *lines, size_t i)
{
	if (i + 4 >= lines->sorted.len)
		return;
	__builtin_prefetch(lines->sorted.data[i + 4].line);
	const struct line *line = lines->sorted.data[i].line;
	for (size_t at = 0; at < line->len && at < FETCH_MAX; at += CACHE_LINE)
		__builtin_prefetch(line->codes + at);
}

static char *copy_frame(char *to, const char *text, size_t len)
{
	memcpy(to, text, FRAME_COPY);
	if (len > FRAME_COPY)
		memcpy(to + FRAME_COPY, text + FRAME_COPY, len - FRAME_COPY);
	return to + len;
}

static char *copy_frames(const struct folded_lines *lines, const struct folded_run *run, char *to)
{
	for (uint32_t i = 0; i < run->n; i++) {
		const struct folded_frame *frame =
			&lines->frames.data[lines->run_frames.data[run->first + i]];

		to = copy_frame(to, frame->text, frame->len);
	}
	return to;
}

/* Copies runs from the code at *AT on, up to the first one that has no room before END; RET: after the last. */
static void copy_runs(const struct folded_lines *lines, const uint8_t **codes,
	const uint8_t *codes_end, char *at, const char *end, char **ret)
{
	const struct folded_run *runs = lines->runs.data;

	for (const uint8_t *next = *codes; next < codes_end; *codes = next) {
		const struct folded_run *run = &runs[varint_next(&next)];

		if ((size_t)(end - at) < (size_t)run->len + FRAME_COPY)
			break;
		at = run->text ? copy_frame(at, run->text, run->len) : copy_frames(lines, run, at);
	}
	*ret = at;
}

static void add_runs(const struct folded_lines *lines, const struct line *line, struct text *text)
{
	const uint8_t *codes = line->codes, *codes_end = codes + line->len;
	char *end;

	text_reserve(text, FRAME_COPY); /* so that there is something to point to */
	for (;;) {
		copy_runs(lines, &codes, codes_end, text->data + text->len, text->data + text->cap,
			&end);
		text->len = (size_t)(end - text->data);
		if (codes == codes_end)
			return;
		const uint8_t *next = codes;
		text_reserve(text, (size_t)lines->runs.data[varint_next(&next)].len + FRAME_COPY);
	}
}

void folded_lines_print(const struct folded_lines *lines, size_t i, struct text *text)
{
	const struct line *line = lines->sorted.data[i].line;

	fetch_line(lines, i + 2);
	add_runs(lines, line, text);
	text->data[text->len - 1] = ' ';
	text_add_decimal(text, line->weight);
	text_add_char(text, '\n');
}
