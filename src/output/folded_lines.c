// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/folded_lines.h"

#include <stdlib.h>
#include <string.h>

/* Short runs, which most are, are copied without looking at their length: this many bytes. */
enum { RUN_COPY = 32 };

void folded_lines_deinit(struct folded_lines *lines)
{
	table_deinit(&lines->numbers);
	table_deinit(&lines->lines);
	arena_deinit(&lines->texts);
	vec_deinit(&lines->runs);
	vec_deinit(&lines->sorted);
}

uint32_t folded_lines_run(struct folded_lines *lines, const char *text, size_t len)
{
	bool added;
	uint64_t *number = table_at(&lines->numbers, text, len, &added);

	if (!added)
		return (uint32_t)*number;
	char *copy = arena_alloc(&lines->texts, len + RUN_COPY);
	memcpy(copy, text, len);
	memset(copy + len, 0, RUN_COPY);
	*number = lines->runs.len;
	vec_push(&lines->runs, (struct folded_run){copy, len});
	return (uint32_t)*number;
}

static void add_weight(uint64_t weight, uint64_t *sum)
{
	if (__builtin_add_overflow(*sum, weight, sum))
		*sum = UINT64_MAX;
}

void folded_lines_add(struct folded_lines *lines, const uint32_t *runs, size_t n, uint64_t weight)
{
	add_weight(weight, table_at(&lines->lines, runs, n * sizeof(*runs), NULL));
}

/* ---- order ---- */

static size_t line_length(const struct table_slot *line)
{
	return line->key_len / sizeof(uint32_t);
}

static uint32_t run_number(const struct table_slot *line, size_t i)
{
	uint32_t number;

	memcpy(&number, line->key + i * sizeof(number), sizeof(number));
	return number;
}

/* A place in a line. */
struct cursor {
	const struct folded_lines *lines;
	const struct table_slot *line;
	size_t next; /* run */
	const char *at;
	size_t left; /* bytes at AT, 0: the line is at its end */
};

/* Goes LEN bytes on, in the run; behind the last run's last frame there is no ';'. */
static void cursor_skip(struct cursor *cursor, size_t len)
{
	cursor->at += len;
	cursor->left -= len;
	if (cursor->left || cursor->next == line_length(cursor->line))
		return;
	const struct folded_run *run =
		&cursor->lines->runs.data[run_number(cursor->line, cursor->next++)];
	cursor->at = run->text;
	cursor->left = run->len - (cursor->next == line_length(cursor->line));
}

/* From run I on. */
static struct cursor cursor_at(
	const struct folded_lines *lines, const struct table_slot *line, size_t i)
{
	struct cursor cursor = {.lines = lines, .line = line, .next = i, .at = ""};

	cursor_skip(&cursor, 0);
	return cursor;
}

static int compare_text(struct cursor x, struct cursor y)
{
	while (x.left && y.left) {
		size_t len = x.left < y.left ? x.left : y.left;
		int order = memcmp(x.at, y.at, len);

		if (order)
			return order;
		cursor_skip(&x, len);
		cursor_skip(&y, len);
	}
	return (x.left > 0) - (y.left > 0);
}

/* As memcmp() of the printed stacks would: most have their first runs in common. */
static int compare_lines(const void *a, const void *b, void *context)
{
	const struct folded_lines *lines = context;
	const struct table_slot *x = *(const struct table_slot *const *)a;
	const struct table_slot *y = *(const struct table_slot *const *)b;
	size_t nx = line_length(x), ny = line_length(y), i = 0;

	/* The last run of a line lacks its ';', so it is left to the text. */
	while (i + 1 < nx && i + 1 < ny && run_number(x, i) == run_number(y, i))
		i++;
	return compare_text(cursor_at(lines, x, i), cursor_at(lines, y, i));
}

static void sort_lines(struct folded_lines *lines)
{
	const struct table *table = &lines->lines;

	for (size_t i = 0; i < table->cap; i++)
		if (table->slots[i].key)
			vec_push(&lines->sorted, &table->slots[i]);
	if (lines->sorted.len)
		qsort_r(lines->sorted.data, lines->sorted.len, sizeof(*lines->sorted.data),
			compare_lines, lines);
}

/* ---- printing ---- */

static void add_run(struct text *text, const struct folded_run *run)
{
	text_reserve(text, run->len + RUN_COPY);
	memcpy(text->data + text->len, run->text, RUN_COPY);
	if (run->len > RUN_COPY)
		memcpy(text->data + text->len + RUN_COPY, run->text + RUN_COPY,
			run->len - RUN_COPY);
	text->len += run->len;
}

bool folded_lines_next(struct folded_lines *lines, struct text *text)
{
	if (!lines->sorted.len)
		sort_lines(lines);
	if (lines->printed == lines->sorted.len)
		return false;
	const struct table_slot *const *line = &lines->sorted.data[lines->printed++];
	uint64_t weight = (*line)->value;
	for (size_t i = 0; i < line_length(*line); i++)
		add_run(text, &lines->runs.data[run_number(*line, i)]);
	/* Other runs may have made the same text. */
	for (; lines->printed < lines->sorted.len &&
		!compare_lines(line, &lines->sorted.data[lines->printed], lines);
		lines->printed++)
		add_weight(lines->sorted.data[lines->printed]->value, &weight);
	text->data[text->len - 1] = ' ';
	text_add_decimal(text, weight);
	text_add_char(text, '\n');
	return true;
}
