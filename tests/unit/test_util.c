// SPDX-License-Identifier: GPL-2.0-or-later
/* The containers of util: what they keep, and what they free. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "util/arena.h"
#include "util/sort.h"
#include "util/table.h"

struct pair {
	uint64_t key, number;
};

/* Multiplying by an odd number leaves no order, and repeats no value. */
static uint64_t shuffled(uint64_t i, unsigned bits)
{
	return (i * 0x9e3779b97f4a7c15ULL) >> (64 - bits);
}

START_TEST(test_radix_sort)
{
	static struct pair pairs[3000];
	const unsigned bits[] = {3, 8, 16, 33, 64};
	const size_t n = sizeof(pairs) / sizeof(pairs[0]);

	for (size_t i = 0; i < n; i++)
		pairs[i] = (struct pair){shuffled(i, bits[_i]), i};
	radix_sort(pairs, n, sizeof(pairs[0]));
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(pairs[i].key, shuffled(pairs[i].number, bits[_i]));
	for (size_t i = 1; i < n; i++) {
		ck_assert_uint_le(pairs[i - 1].key, pairs[i].key);
		if (pairs[i - 1].key == pairs[i].key)
			ck_assert_uint_lt(pairs[i - 1].number, pairs[i].number);
	}
}
END_TEST

START_TEST(test_radix_sort_few)
{
	struct pair two[] = {{2, 0}, {1, 1}};

	radix_sort(NULL, 0, sizeof(two[0]));
	radix_sort(two, 1, sizeof(two[0]));
	ck_assert_uint_eq(two[0].key, 2);
	radix_sort(two, 2, sizeof(two[0]));
	ck_assert_uint_eq(two[0].number, 1);
	ck_assert_uint_eq(two[1].number, 0);
}
END_TEST

static int compare_pairs(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	return a->key != b->key ? (a->key < b->key ? -1 : 1)
				: (a->number > b->number) - (a->number < b->number);
}

/* Keys that begin with the same number are ordered by the rest. */
START_TEST(test_radix_sort_by)
{
	static struct pair pairs[3000], sorted[3000];
	const size_t n = _i % 2 ? 3000 : 100;

	for (size_t i = 0; i < n; i++)
		sorted[i] = pairs[i] =
			(struct pair){shuffled(i, _i < 2 ? 4 : 64), shuffled(i * 77, 20)};
	radix_sort_by(pairs, n, sizeof(pairs[0]), compare_pairs);
	qsort(sorted, n, sizeof(sorted[0]), compare_pairs);
	ck_assert_mem_eq(pairs, sorted, n * sizeof(pairs[0]));
	radix_sort_by(pairs, 0, sizeof(pairs[0]), compare_pairs);
}
END_TEST

/* After a clear an arena has room for as much as its newest chunk without asking for more. */
START_TEST(test_arena_clear)
{
	struct arena arena = {};
	char *newest;

	arena_clear(&arena);
	for (int i = 0; i < 1000; i++)
		memset(arena_alloc(&arena, 100), i, 100);
	newest = (char *)arena.chunks;
	arena_clear(&arena);
	ck_assert_ptr_eq(arena.chunks, newest);
	char *first = arena_alloc(&arena, 8);
	ck_assert(first > newest && first < arena.end);
	for (int i = 0; i < 1000; i++)
		memset(arena_alloc(&arena, 100), i, 100);
	arena_deinit(&arena);
}
END_TEST

START_TEST(test_table_clear)
{
	struct table table = {};
	bool added;

	table_clear(&table);
	for (uint64_t round = 0; round < 3; round++) {
		for (uint64_t key = 0; key < 100 * (round + 1); key++) {
			*table_at(&table, &key, sizeof(key), &added) = key + round;
			ck_assert(added);
		}
		for (uint64_t key = 0; key < 100 * (round + 1); key++)
			ck_assert_uint_eq(*table_find(&table, &key, sizeof(key)), key + round);
		table_clear(&table);
		ck_assert_ptr_null(table_find(&table, &round, sizeof(round)));
	}
	table_deinit(&table);
}
END_TEST

static bool keep_even(void *context, uint64_t *value)
{
	(void)context;
	*value /= 2;
	return *value % 2 == 0;
}

START_TEST(test_table_keep)
{
	enum { KEYS = 10000 };
	struct table table = {};

	for (unsigned i = 0; i < KEYS; i++)
		*table_at(&table, &i, sizeof(i), NULL) = (uint64_t)i * 2;
	table_keep(&table, keep_even, NULL);
	ck_assert_uint_eq(table.len, KEYS / 2);
	for (unsigned i = 0; i < KEYS; i++) {
		const uint64_t *value = table_find(&table, &i, sizeof(i));

		ck_assert_int_eq(value != NULL, i % 2 == 0);
		if (value)
			ck_assert_uint_eq(*value, i);
	}
	table_keep(&table, keep_even, NULL);
	ck_assert_uint_eq(table.len, KEYS / 4);
	table_deinit(&table);
	table_keep(&table, keep_even, NULL);
	ck_assert_uint_eq(table.len, 0);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("util");

	tcase_add_loop_test(tests, test_radix_sort, 0, 5);
	tcase_add_test(tests, test_radix_sort_few);
	tcase_add_loop_test(tests, test_radix_sort_by, 0, 4);
	tcase_add_test(tests, test_arena_clear);
	tcase_add_test(tests, test_table_clear);
	tcase_add_test(tests, test_table_keep);
	return tests_run(tests);
}
