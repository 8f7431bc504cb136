// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/folded_lines.h"

#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/worker.h"

/* Short runs, which most are, are copied without looking at their length: this many bytes. */
enum { RUN_COPY = 32 };
/* As many as are worth waking a thread for. */
enum { RECENT_WORDS = 1 << 16 };
/* Of a line that will be wanted soon. */
enum { CACHE_LINE = 64, FETCH_MAX = 1024 };

void folded_lines_deinit(struct folded_lines *lines)
{
	worker_destroy(lines->worker);
	vec_deinit(&lines->recent);
	vec_deinit(&lines->entered);
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
	vec_push(&lines->runs, (struct folded_run){copy, len, 0});
	return (uint32_t)*number;
}

static void add_weight(uint64_t weight, uint64_t *sum)
{
	if (__builtin_add_overflow(*sum, weight, sum))
		*sum = UINT64_MAX;
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
		add_weight(line.weight,
			table_at(&lines->lines, words + at, line.n * sizeof(*words), NULL));
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
struct line_cursor {
	const struct folded_lines *lines;
	const struct table_slot *line;
	size_t next; /* run */
	const char *at;
	size_t left; /* bytes at AT, 0: the line is at its end */
};

/* Goes LEN bytes on, in the run; after the last run's last frame there is no ';'. */
static void cursor_skip(struct line_cursor *cursor, size_t len)
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
static struct line_cursor cursor_at(
	const struct folded_lines *lines, const struct table_slot *line, size_t i)
{
	struct line_cursor cursor = {.lines = lines, .line = line, .next = i, .at = ""};

	cursor_skip(&cursor, 0);
	return cursor;
}

static int compare_text(struct line_cursor x, struct line_cursor y)
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

static int compare_slots(
	const struct folded_lines *lines, const struct table_slot *x, const struct table_slot *y)
{
	size_t nx = line_length(x), ny = line_length(y), i = 0;

	/* The last run of a line lacks its ';', so it is left to the text. */
	while (i + 1 < nx && i + 1 < ny && run_number(x, i) == run_number(y, i))
		i++;
	return compare_text(cursor_at(lines, x, i), cursor_at(lines, y, i));
}

/*
 * As memcmp() of the printed stacks would. The first run by which keys differ decides, if both keys
 * have one there: neither is the last of its line nor the beginning of another run.
 */
static int compare_lines(const void *a, const void *b, void *context)
{
	const struct folded_lines *lines = context;
	const struct folded_line *x = a, *y = b;
	uint64_t differ = x->key ^ y->key;

	if (differ) {
		unsigned int skip = (unsigned int)__builtin_clzll(differ);

		skip -= skip % lines->key_bits;
		uint64_t rank = ~(UINT64_MAX >> lines->key_bits) >> skip;
		if (x->key & rank && y->key & rank)
			return x->key < y->key ? -1 : 1;
	}
	return compare_slots(lines, x->slot, y->slot);
}

static int compare_runs(const void *a, const void *b)
{
	const struct folded_run *x = *(const struct folded_run *const *)a;
	const struct folded_run *y = *(const struct folded_run *const *)b;
	size_t len = x->len < y->len ? x->len : y->len;
	int order = memcmp(x->text, y->text, len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* Those that begin with a text stand right after it. */
static void rank_runs(struct folded_lines *lines)
{
	struct VEC(struct folded_run *) order = {};

	for (size_t i = 0; i < lines->runs.len; i++)
		vec_push(&order, &lines->runs.data[i]);
	vec_sort(&order, compare_runs);
	for (size_t i = 0; i < order.len; i++) {
		struct folded_run *run = order.data[i],
				  *next = order.data[i + 1 < order.len ? i + 1 : i];
		bool begins = next != run && next->len > run->len &&
			      !memcmp(run->text, next->text, run->len);

		run->rank = begins ? 0 : (uint32_t)(i + 1);
	}
	vec_deinit(&order);
	lines->key_bits = 1;
	while (lines->runs.len >> lines->key_bits)
		lines->key_bits++;
}

/* The ranks of the first runs, highest bits first, up to the last run or one without rank. */
static uint64_t line_key(const struct folded_lines *lines, const struct table_slot *line)
{
	unsigned int bits = lines->key_bits, left = 64;
	uint64_t key = 0;

	for (size_t i = 0; i + 1 < line_length(line) && left >= bits; i++) {
		uint64_t rank = lines->runs.data[run_number(line, i)].rank;

		if (!rank)
			break;
		left -= bits;
		key |= rank << left;
	}
	return key;
}

static void sort_lines(struct folded_lines *lines)
{
	const struct table *table = &lines->lines;

	rank_runs(lines);
	vec_reserve(&lines->sorted, table->len);
	for (size_t i = 0; i < table->cap; i++) {
		struct table_slot *slot = &table->slots[i];

		if (slot->key)
			vec_push(&lines->sorted, (struct folded_line){line_key(lines, slot), slot});
	}
	if (lines->sorted.len)
		qsort_r(lines->sorted.data, lines->sorted.len, sizeof(*lines->sorted.data),
			compare_lines, lines);
}

/* Other runs may have made the same text. */
static void merge_lines(struct folded_lines *lines)
{
	size_t kept = 0;

	for (size_t i = 0; i < lines->sorted.len; i++) {
		const struct folded_line *line = &lines->sorted.data[i];
		struct folded_line *last = &lines->sorted.data[kept - (kept > 0)];

		if (kept && !compare_lines(last, line, lines))
			add_weight(line->slot->value, &last->slot->value);
		else
			lines->sorted.data[kept++] = *line;
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

/* Copies runs up to the first one that has no room before END; how many. RET: after the last. */
static size_t copy_runs(const struct folded_run *runs, const uint32_t *numbers, size_t n, char *at,
	const char *end, char **ret)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct folded_run *run = &runs[numbers[i]];

		if ((size_t)(end - at) < run->len + RUN_COPY)
			break;
		memcpy(at, run->text, RUN_COPY);
		if (run->len > RUN_COPY)
			memcpy(at + RUN_COPY, run->text + RUN_COPY, run->len - RUN_COPY);
		at += run->len;
	}
	*ret = at;
	return i;
}

static void add_runs(
	const struct folded_lines *lines, const struct table_slot *line, struct text *text)
{
	const uint32_t *numbers = (const void *)line->key; /* keys are aligned */
	size_t n = line_length(line);
	char *end;

	text_reserve(text, RUN_COPY); /* so that there is something to point to */
	for (size_t i = 0;; text_reserve(text, lines->runs.data[numbers[i]].len + RUN_COPY)) {
		i += copy_runs(lines->runs.data, numbers + i, n - i, text->data + text->len,
			text->data + text->cap, &end);
		text->len = (size_t)(end - text->data);
		if (i == n)
			return;
	}
}

/* Line I is printed soon, and the one 4 after it not long after: they lie anywhere in memory. */
static void fetch_line(const struct folded_lines *lines, size_t i)
{
	if (i + 4 >= lines->sorted.len)
		return;
	__builtin_prefetch(lines->sorted.data[i + 4].slot);
	const struct table_slot *slot = lines->sorted.data[i].slot;
	for (size_t at = 0; at < slot->key_len && at < FETCH_MAX; at += CACHE_LINE)
		__builtin_prefetch(slot->key + at);
}

void folded_lines_print(const struct folded_lines *lines, size_t i, struct text *text)
{
	const struct table_slot *slot = lines->sorted.data[i].slot;

	fetch_line(lines, i + 2);
	add_runs(lines, slot, text);
	text->data[text->len - 1] = ' ';
	text_add_decimal(text, slot->value);
	text_add_char(text, '\n');
}
