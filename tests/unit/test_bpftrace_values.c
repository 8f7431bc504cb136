// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts and totals of bpftrace's avg() and stats() are recognized, and never added. */
#include <check.h>
#include <string.h>

#include "collector_fixture.h"
#include "run.h"

#define CPUS 2
/* Numbers so large that they cannot be anything else. */
#define FIRST 70001
#define SECOND 90002
#define ONE "u=7f0000001001,7f0000001002\n"
#define TWO "u=7f0000001005\n"

/* A key of bpftrace 0.17: a stack word of thread 10, and what follows. */
struct row_key {
	uint32_t user, tid;
	uint64_t last;
};

static void row(uint32_t user, uint64_t last, uint64_t first_cpu, uint64_t second_cpu)
{
	struct row_key key = {user, 10, last};
	uint64_t values[CPUS] = {first_cpu, second_cpu};

	for (int cpu = 0; cpu < CPUS; cpu++)
		entry(&key, sizeof(key), &values[cpu], sizeof(uint64_t), cpu);
}

static void start_rows(const char *key_fields, const char *key_layout)
{
	options.key_fields = key_fields;
	options.key_layout = key_layout;
	start();
	collector_map_begin(collector, "stacks", INPUT_ANY);
	stack5(FIRST, U + 1, U + 2, 0, 0, 0);
	stack5(SECOND, U + 5, 0, 0, 0, 0);
	collector_map_end(collector, false);
	collector_map_begin(collector, "counts", INPUT_ANY);
}

static void averages(void)
{
	row(FIRST, 0, 3, 4);
	row(FIRST, 1, 300, 400);
	row(SECOND, 0, 0, 2);
	row(SECOND, 1, 0, 50);
}

static void refused(const char *key_layout)
{
	start_rows(NULL, key_layout);
	averages();
	finish_failing(ERROR_INPUT, "alternating counts and totals of bpftrace's avg() or stats()");
	ck_assert(log_has(&messages, "possible reading: --key=weight=count ("));
	ck_assert(log_has(&messages, "possible reading: --key=weight=total ("));
	ck_assert(log_has(&messages, "possible reading: --key=weight=value ("));
	teardown();
	setup();
}

START_TEST(unclear_rows)
{
	refused(NULL);
	refused("u32 user; u32 tid; u32 unused2; u32 unused3");
}
END_TEST

static void read_as(const char *key_fields, const char *key_layout, const char *expected)
{
	start_rows(key_fields, key_layout);
	averages();
	finish(expected);
	teardown();
	setup();
}

START_TEST(chosen_rows)
{
	read_as("weight=count", NULL, "10/10 - x7 " ONE "10/10 - x2 " TWO);
	read_as("weight=total", NULL, "10/10 - x700 " ONE "10/10 - x50 " TWO);
	read_as("weight=value.total", "u32 user; u32 tid; u64 unused2",
		"10/10 - x700 " ONE "10/10 - x50 " TWO);
	read_as("weight=value", NULL,
		"10/10 - x7 " ONE "10/10 - x700 " ONE "10/10 - x2 " TWO "10/10 - x50 " TWO);
	read_as(NULL, "u32 user; u32 tid; u64 bucket",
		"10/10 - x7 " ONE "10/10 - x700 " ONE "10/10 - x2 " TWO "10/10 - x50 " TWO);
}
END_TEST

/* If the last word of the key is the CPU, some totals would have no count. */
START_TEST(cpu_is_no_row)
{
	start_rows(NULL, NULL);
	row(FIRST, 0, 3, 0);
	row(FIRST, 1, 0, 5);
	row(SECOND, 0, 1, 0);
	row(SECOND, 1, 0, 2);
	finish("10/10 - x3 " ONE "10/10 - x5 " ONE "10/10 - x1 " TWO "10/10 - x2 " TWO);
}
END_TEST

/* One entry that was written while the map was read changes nothing. */
START_TEST(rows_of_a_live_map)
{
	start_rows(NULL, NULL);
	averages();
	row(1000, 1, 7, 0);
	finish_failing(ERROR_INPUT, "alternating counts and totals");
}
END_TEST

START_TEST(buckets_are_no_rows)
{
	start_rows(NULL, NULL);
	averages();
	row(FIRST, 2, 1, 0);
	finish("10/10 - x7 " ONE "10/10 - x700 " ONE "10/10 - x2 " TWO "10/10 - x50 " TWO
	       "10/10 - x1 " ONE);
}
END_TEST

/* The value of the key when it was deleted. */
static void deleted(uint32_t user, uint64_t last, uint64_t first_cpu, uint64_t second_cpu)
{
	struct row_key key = {user, 10, last};
	uint64_t values[CPUS] = {first_cpu, second_cpu};
	struct map_entry entries[CPUS];
	bool other;

	for (int cpu = 0; cpu < CPUS; cpu++)
		entries[cpu] = (struct map_entry){(uint8_t *)&key, (uint8_t *)&values[cpu],
			sizeof(key), sizeof(uint64_t), cpu, false, NULL, "t:1"};
	ck_assert_ptr_null(collector_changed(collector, "counts", entries, CPUS, &other));
	ck_assert(!other);
}

/*
 * For entries that are deleted later, only what was added in between is passed on, and only one
 * part.
 */
START_TEST(changes_of_one_part)
{
	options.live.clear = true;
	start_rows("weight=count", NULL);
	averages();
	finish("10/10 - x7 " ONE "10/10 - x2 " TWO);
	deleted(SECOND, 0, 1, 4);
	deleted(SECOND, 1, 40, 60);
	ck_assert_ptr_null(collector_flush(collector));
	ck_assert_str_eq(
		recorded(&recording), "10/10 - x7 " ONE "10/10 - x2 " TWO "10/10 - x3 " TWO);
}
END_TEST

START_TEST(no_such_row)
{
	start_rows("weight=total", NULL);
	row(FIRST, 0, 3, 4);
	row(SECOND, 0, 1, 1);
	finish_failing(ERROR_INPUT, "no usable counts");
	ck_assert(log_has(&messages, "counts: not used: none of its keys ends in the number"));
}
END_TEST

/* ---- members without a name ----------------------------------------------------------------- */

static void pair(uint32_t user, int cpu, uint64_t first, uint64_t second)
{
	const struct field fields[] = {
		{.name = "key.ustack_id", .kind = FIELD_NUMBER, .number = user},
		{.name = "key.pid", .kind = FIELD_NUMBER, .number = 10},
		{.name = "value.0", .kind = FIELD_NUMBER, .number = first},
		{.name = "value.1", .kind = FIELD_NUMBER, .number = second},
	};
	const struct row record = {fields, 4};
	struct map_entry e = {.cpu = cpu, .formatted = &record, .position = "t:1"};

	collector_entry(collector, &e);
}

static void start_pairs(const char *key_fields, enum input_per_cpu how)
{
	options.per_cpu = how;
	start_rows(key_fields, NULL);
}

START_TEST(pairs_with_counts)
{
	static const char *const weights[] = {
		NULL, "weight=count", "weight=total", "weight=value.0"};
	static const char *const expected[] = {
		"10/-1 - x3 " ONE, "10/-1 - x3 " ONE, "10/-1 - x41 " ONE, "10/-1 - x41 " ONE};

	for (size_t i = 0; i < 4; i++) {
		start_pairs(weights[i], INPUT_PER_CPU_SUM);
		pair(FIRST, 0, 30, 2);
		pair(FIRST, 1, 11, 1);
		finish(expected[i]);
		ck_assert(stats.weighted);
		teardown();
		setup();
	}
}
END_TEST

START_TEST(unclear_pairs)
{
	start_pairs(NULL, INPUT_PER_CPU_SUM);
	pair(FIRST, 0, 30, 1);
	pair(FIRST, 1, 0, 0);
	finish_failing(ERROR_INPUT, "a count or a flag");
	ck_assert(log_has(&messages, "possible reading: --key=weight=count ("));
	ck_assert(log_has(&messages, "possible reading: --key=weight=total ("));
	ck_assert(log_has(&messages, "possible reading: --key=weight=value.0 --per-cpu=max ("));
	ck_assert(log_has(&messages, "possible reading: --key=weight=value.0 --per-cpu=min ("));
}
END_TEST

/* A CPU whose flag is not set has no number; 0 is one. */
START_TEST(chosen_pairs)
{
	static const struct {
		const char *key_fields;
		enum input_per_cpu how;
		const char *expected;
	} ways[] = {
		{"weight=count", INPUT_PER_CPU_SUM, "10/-1 - x2 " ONE "10/-1 - x2 " TWO},
		{"weight=value.0", INPUT_PER_CPU_MAX, "10/-1 - x30 " ONE "10/-1 - x4 " TWO},
		{"weight=value.0", INPUT_PER_CPU_MIN, "10/-1 - x7 " ONE},
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		start_pairs(ways[i].key_fields, ways[i].how);
		pair(FIRST, 0, 0, 0);
		pair(FIRST, 1, 30, 1);
		pair(FIRST, 2, 7, 1);
		pair(SECOND, 0, 0, 1);
		pair(SECOND, 1, 4, 1);
		pair(SECOND, 2, 0, 0);
		finish(ways[i].expected);
		teardown();
		setup();
	}
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("bpftrace_values");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, unclear_rows);
	tcase_add_test(tcase, chosen_rows);
	tcase_add_test(tcase, cpu_is_no_row);
	tcase_add_test(tcase, rows_of_a_live_map);
	tcase_add_test(tcase, buckets_are_no_rows);
	tcase_add_test(tcase, changes_of_one_part);
	tcase_add_test(tcase, no_such_row);
	tcase_add_test(tcase, pairs_with_counts);
	tcase_add_test(tcase, unclear_pairs);
	tcase_add_test(tcase, chosen_pairs);
	return tests_run(tcase);
}
