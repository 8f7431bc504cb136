// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/folded_lines.h"

#include <stdlib.h>
#include <string.h>

#include "model/weight.h"
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
	line_set_deinit(&lines->lines);
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

/* A place in a line. */
struct line_cursor {
	const struct folded_lines *lines;
	const uint8_t *next, *end; /* codes of the runs that follow */
	const char *at;
	size_t left; /* bytes at AT, 0: the line is at its end */
};

/* Goes LEN bytes on, in the run; after the last run's last frame there is no ';'. */
static void cursor_skip(struct line_cursor *cursor, size_t len)
{
	cursor->at += len;
	cursor->left -= len;
	if (cursor->left || cursor->next == cursor->end)
		return;
	const struct folded_run *run = &cursor->lines->runs.data[varint_next(&cursor->next)];
	cursor->at = run->text;
	cursor->left = run->len - (cursor->next == cursor->end);
}

/* From the run on whose code is AT bytes behind the first one. */
static struct line_cursor cursor_at(
	const struct folded_lines *lines, const struct line *line, size_t at)
{
	struct line_cursor cursor = {
		.lines = lines, .next = line->codes + at, .end = line->codes + line->len, .at = ""};

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

/* How many bytes of codes of whole runs two lines begin with. */
static size_t common_codes(const struct line *x, const struct line *y)
{
	size_t len = x->len < y->len ? x->len : y->len, at = 0;

	while (at < len && x->codes[at] == y->codes[at])
		at++;
	while (at && x->codes[at - 1] & 0x80)
		at--;
	return at;
}

/*
 * As memcmp() of the printed stacks would, for lines that are the same up to the runs of their keys. The
 * first run by which keys differ decides, if both keys have one there: neither is the last of its line nor
 * the beginning of another run. 0: the keys are full and the same, or the lines are.
 */
static int compare_lines(const void *a, const void *b, void *context)
{
	const struct folded_lines *lines = context;
	const struct folded_line *x = a, *y = b;
	uint64_t differ = x->key ^ y->key;
	unsigned int skip = 64 - 64 % lines->key_bits - lines->key_bits;

	if (differ) {
		skip = (unsigned int)__builtin_clzll(differ);
		skip -= skip % lines->key_bits;
	}
	uint64_t rank = ~(UINT64_MAX >> lines->key_bits) >> skip;
	if (x->key & rank && y->key & rank)
		return (x->key > y->key) - (x->key < y->key);
	return compare_text(cursor_at(lines, x->line, x->at), cursor_at(lines, y->line, y->at));
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

/* The ranks of the runs after those of the last key, highest bits first, up to the line's last run or one
   without rank. */
static void set_key(const struct folded_lines *lines, struct folded_line *sorted)
{
	const uint8_t *at = sorted->line->codes + sorted->next,
		      *end = sorted->line->codes + sorted->line->len;
	unsigned int left = 64;

	sorted->at = sorted->next;
	sorted->key = 0;
	while (at < end && left >= lines->key_bits) {
		uint64_t rank = lines->runs.data[varint_next(&at)].rank;

		if (!rank || at == end)
			break;
		left -= lines->key_bits;
		sorted->key |= rank << left;
		sorted->next = (uint32_t)(at - sorted->line->codes);
	}
}

/* Whether a key has as many runs as it can have. */
static bool is_full(const struct folded_lines *lines, uint64_t key)
{
	return key << (64 - 64 % lines->key_bits - lines->key_bits) != 0;
}

/* Lines [START, END) begin with the same runs, up to `next`. */
struct line_range {
	size_t start, end;
};

/*
 * Most lines have long beginnings in common with others. They are ordered by their first few runs, and
 * those of which these are all the same by the next few: each line is read once for each of its keys, and
 * not in each comparison, for which it would have to be fetched from anywhere in memory.
 */
static void sort_lines(struct folded_lines *lines)
{
	struct VEC(struct line_range) ranges = {};
	struct folded_line *sorted;

	rank_runs(lines);
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
		qsort_r(sorted + range.start, range.end - range.start, sizeof(*sorted),
			compare_lines, lines);
		for (size_t i = range.start, end; i < range.end; i = end) {
			for (end = i + 1; end < range.end && sorted[end].key == sorted[i].key;)
				end++;
			if (end - i > 1 && is_full(lines, sorted[i].key))
				vec_push(&ranges, (struct line_range){i, end});
		}
	}
	vec_deinit(&ranges);
}

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

/* Whether lines are the same text, of other runs. */
static bool is_same_text(
	const struct folded_lines *lines, const struct line *x, const struct line *y)
{
	size_t at = common_codes(x, y);

	return !compare_text(cursor_at(lines, x, at), cursor_at(lines, y, at));
}

static void merge_lines(struct folded_lines *lines)
{
	size_t kept = 0;

	for (size_t i = 0; i < lines->sorted.len; i++) {
		struct line *line = lines->sorted.data[i].line;
		struct line *last = lines->sorted.data[kept - (kept > 0)].line;

		fetch_line(lines, i + 2);
		if (kept && is_same_text(lines, last, line))
			weight_add(&last->weight, line->weight);
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

/* Copies runs from the code at *AT on, up to the first one that has no room before END; RET: after the last. */
static void copy_runs(const struct folded_run *runs, const uint8_t **codes,
	const uint8_t *codes_end, char *at, const char *end, char **ret)
{
	for (const uint8_t *next = *codes; next < codes_end; *codes = next) {
		const struct folded_run *run = &runs[varint_next(&next)];

		if ((size_t)(end - at) < run->len + RUN_COPY)
			break;
		memcpy(at, run->text, RUN_COPY);
		if (run->len > RUN_COPY)
			memcpy(at + RUN_COPY, run->text + RUN_COPY, run->len - RUN_COPY);
		at += run->len;
	}
	*ret = at;
}

static void add_runs(const struct folded_lines *lines, const struct line *line, struct text *text)
{
	const uint8_t *codes = line->codes, *codes_end = codes + line->len;
	char *end;

	text_reserve(text, RUN_COPY); /* so that there is something to point to */
	for (;;) {
		copy_runs(lines->runs.data, &codes, codes_end, text->data + text->len,
			text->data + text->cap, &end);
		text->len = (size_t)(end - text->data);
		if (codes == codes_end)
			return;
		const uint8_t *next = codes;
		text_reserve(text, lines->runs.data[varint_next(&next)].len + RUN_COPY);
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
