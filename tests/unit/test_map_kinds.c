// SPDX-License-Identifier: GPL-2.0-or-later
/* The collector with maps other than hashes of counts. */
#include <check.h>
#include <string.h>

#include "collector_fixture.h"
#include "run.h"

/* The entries of a queue beside two stack maps. */
struct ticket {
	uint64_t pid_tgid;
	int32_t kernel_stack_id, user_stack_id;
};

#define TICKET "u64 pid_tgid; s32 kernel_stack_id; s32 user_stack_id; u32 cpu; u32 unused"

static void pushed(uint32_t pid, int32_t kernel, int32_t user, uint32_t cpu)
{
	struct {
		struct ticket ticket;
		uint32_t cpu, unused;
	} value = {{(uint64_t)pid << 32 | (pid + 1), kernel, user}, cpu, 0};

	entry("", 0, &value, sizeof(value), -1);
}

/* Equal entries are samples of their own, and the CPU is no weight. */
START_TEST(queue)
{
	options.value_layout = TICKET;
	start();
	collector_map_begin(collector, "queue", INPUT_ANY);
	pushed(10, 3, 1, 0);
	pushed(10, 3, 1, 0);
	pushed(11, -14, 1, 3);
	collector_map_end(collector, false);
	one_stack_map();
	finish("10/11 - x1 u=7f0000001001,7f0000001002 "
	       "k=ffffffff81000001,ffffffff81000002,0,ffffffff81000004\n"
	       "10/11 - x1 u=7f0000001001,7f0000001002 "
	       "k=ffffffff81000001,ffffffff81000002,0,ffffffff81000004\n"
	       "11/12 - x1 u=7f0000001001,7f0000001002\n");
}
END_TEST

/* In that case --key-layout is for another map. */
START_TEST(queue_beside_counts)
{
	struct {
		uint32_t pid;
		int32_t user;
	} key = {5, 2};
	uint64_t count = 7;

	options.value_layout = TICKET;
	options.key_layout = "u32 pid; s32 user";
	start();
	collector_map_begin(collector, "queue", INPUT_ANY);
	pushed(10, -14, 1, 2);
	collector_map_end(collector, false);
	collector_map_begin(collector, "counts", INPUT_ANY);
	entry(&key, sizeof(key), &count, sizeof(count), -1);
	collector_map_end(collector, false);
	one_stack_map();
	finish("10/11 - x1 u=7f0000001001,7f0000001002\n");
	ck_assert(log_has(
		&messages, "--value-layout declares 24 bytes, but each value in counts has 8"));
}
END_TEST

START_TEST(queue_without_layout)
{
	start();
	one_stack_map();
	collector_map_begin(collector, "queue", INPUT_ANY);
	pushed(10, 3, 1, 2);
	collector_map_end(collector, false);
	finish_failing(ERROR_INPUT, "queue: ");
	ck_assert(log_has(&messages, "queue: possible reading: --value-layout='"));
}
END_TEST

/* Stacks in the entries themselves need no stack map. */
START_TEST(queue_of_stacks)
{
	uint64_t value[4] = {7ULL << 32 | 7, U + 1, U + 2, 0};

	options.value_layout = "u64 pid_tgid; u64 ustack[3]";
	start();
	collector_map_begin(collector, "queue", INPUT_ANY);
	entry("", 0, value, sizeof(value), -1);
	collector_map_end(collector, false);
	finish("7/7 - x1 u=7f0000001001,7f0000001002\n");
}
END_TEST

/* An array of four elements, of which only 1 and 3 were ever used. */
static void array_of_tickets(uint32_t first, int cpus)
{
	static const struct ticket none,
		tickets[] = {{}, {7ULL << 32 | 8, -14, 1}, {}, {9ULL << 32 | 9, 3, -14}};

	for (uint32_t i = 0; i < 4; i++)
		for (int cpu = 0; cpu < cpus || cpu == 0; cpu++) {
			uint32_t key = first + i;
			bool here = cpus == 0 || cpu == (int)i % cpus;

			entry(&key, sizeof(key), here ? &tickets[i] : &none, sizeof(none),
				cpus ? cpu : -1);
		}
}

static void start_array(void)
{
	options.key_layout = "u32 slot";
	options.value_layout = "u64 pid_tgid; s32 kernel_stack_id; s32 user_stack_id";
	start();
	one_stack_map();
	collector_map_begin(collector, "array", INPUT_COUNTS);
}

#define TICKETS                                                                                    \
	"7/8 - x1 u=7f0000001001,7f0000001002\n"                                                   \
	"9/9 - x1 k=ffffffff81000001,ffffffff81000002,0,ffffffff81000004\n"

START_TEST(zero_elements_of_arrays)
{
	start_array();
	array_of_tickets(0, 0);
	collector_map_end(collector, false);
	finish(TICKETS);
}
END_TEST

/* The values of other CPUs count, not only the zeros of the first. */
START_TEST(zero_elements_of_one_cpu)
{
	start_array();
	array_of_tickets(0, 2);
	collector_map_end(collector, false);
	finish(TICKETS);
}
END_TEST

/* Keys that do not begin at 0, or a dump without its end: it is unknown whether it is an array. */
START_TEST(zero_values_elsewhere)
{
	start_array();
	array_of_tickets(1, 0);
	collector_map_end(collector, false);
	ck_assert_ptr_null(collector_end(collector, &stats));
	ck_assert_uint_eq(stats.samples, 4);
}
END_TEST

START_TEST(zero_values_of_a_part)
{
	start_array();
	array_of_tickets(0, 0);
	collector_map_end(collector, true);
	ck_assert_ptr_null(collector_end(collector, &stats));
	ck_assert_uint_eq(stats.samples, 4);
}
END_TEST

/* An array of zeros is still a map of counts: it is unknown how often the stacks were seen. */
START_TEST(zero_array)
{
	static const struct ticket none;

	start_array();
	for (uint32_t i = 0; i < 3; i++)
		entry(&i, sizeof(i), &none, sizeof(none), -1);
	collector_map_end(collector, false);
	finish_failing(ERROR_INPUT, "has no usable counts");
}
END_TEST

START_TEST(elements_by_layout)
{
	struct {
		uint32_t pid;
		int32_t ids[2];
	} key = {5, {2, -14}};
	uint64_t count = 7;

	options.key_layout = "u32 pid; s32 ids[2]";
	options.key_fields = "user=key.ids[0],kernel=ids[1]";
	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	entry(&key, sizeof(key), &count, sizeof(count), -1);
	collector_map_end(collector, false);
	finish("5/-1 - x7 u=7f0000001005,7f0000001006,7f0000001007,7f0000001008,7f0000001009…\n");
}
END_TEST

static void fail_with(const char *key_fields, const char *part)
{
	struct {
		uint32_t pid;
		int32_t user;
		char comm[8];
	} key = {5, 2, "demo"};
	uint32_t value[4] = {1, 2, 3, 4};

	options.key_layout = "u32 pid; s32 user; char comm[8]";
	options.value_layout = "struct { u32 words[3]; u32 rest; } inner";
	options.key_fields = key_fields;
	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	entry(&key, sizeof(key), value, sizeof(value), -1);
	collector_map_end(collector, false);
	finish_failing(ERROR_USAGE, part);
}

START_TEST(fields_that_do_not_fit)
{
	static const char *const wrong[][2] = {
		{"weight=comm",
			"--key weight=comm is a text; there are: key.pid, key.user, key.comm"},
		{"weight=value.inner",
			"weight=value.inner names a field that does not exist here; there are: "},
		{"pid=words", "pid=words is an array: choose one of its elements"},
		{"user=words", "user=words is an array: choose one of its elements"},
		{"user=words[3]", "user=words[3] names a field that does not exist here"},
		{"weight=words[x]", "weight=words[x] names a field that does not exist here"},
		{"comm=user", "comm=user is a number, not a text"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		fail_with(wrong[i][0], wrong[i][1]);
		teardown();
		setup();
	}
}
END_TEST

static void count_of(uint32_t pid, const void *value, size_t len, int cpu)
{
	struct {
		uint32_t pid;
		int32_t user;
	} key = {pid, 1};

	entry(&key, sizeof(key), value, len, cpu);
}

#define ONE "u=7f0000001001,7f0000001002\n"

static void start_counts(const char *value_layout, const char *key_fields)
{
	options.key_layout = "u32 pid; s32 user";
	options.value_layout = value_layout;
	options.key_fields = key_fields;
	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
}

START_TEST(histogram_as_weight)
{
	static const uint32_t slots[2][4] = {{1, 0, 5, 300}, {65, 66, 67, 0}};

	/* A map with that name is summed up by itself. */
	start_counts("u32 slots[4]", NULL);
	count_of(5, slots[0], sizeof(slots[0]), -1);
	count_of(6, slots[1], sizeof(slots[1]), -1);
	finish("5/-1 - x306 " ONE "6/-1 - x198 " ONE);
}
END_TEST

START_TEST(histogram_that_overflows)
{
	static const uint64_t slots[2] = {INT64_MAX, 2};

	start_counts("u64 slots[2]", "weight=slots");
	count_of(5, slots, sizeof(slots), -1);
	finish("5/-1 - x9223372036854775807 " ONE);
}
END_TEST

/* Values that one CPU subtracts were added on another; a sum below zero has no weight. */
START_TEST(weights_below_zero)
{
	static const int64_t values[3][2] = {{-5, 12}, {3, -5}, {-7, 7}};

	start_counts("s64 net", NULL);
	for (uint32_t key = 0; key < 3; key++)
		for (int cpu = 0; cpu < 2; cpu++)
			count_of(5 + key, &values[key][cpu], sizeof(int64_t), cpu);
	finish("5/-1 - x7 " ONE);
	ck_assert(log_has(&messages, "a negative weight is left out"));
}
END_TEST

START_TEST(slots_below_zero)
{
	static const int64_t slots[2] = {-1, 3};

	start_counts("s64 slots[2]", "weight=slots");
	count_of(5, slots, sizeof(slots), -1);
	finish("5/-1 - x2 " ONE);
}
END_TEST

START_TEST(set)
{
	static const uint64_t zero;

	start_counts(NULL, NULL);
	count_of(5, &zero, sizeof(zero), -1);
	count_of(6, &zero, sizeof(zero), -1);
	finish("5/-1 - x1 " ONE "6/-1 - x1 " ONE);
	ck_assert(log_has(&messages, "counts: all of its values are 0: it is read as a set"));
	ck_assert(stats.weighted);
}
END_TEST

static void check_no_set(const char *value_layout, const char *key_fields, uint64_t second)
{
	static const uint64_t zero;

	start_counts(value_layout, key_fields);
	count_of(5, &zero, sizeof(zero), -1);
	count_of(6, &second, sizeof(second), -1);
	finish(second ? "6/-1 - x9 " ONE : "");
	ck_assert(!log_has(&messages, "taken for a set"));
	teardown();
	setup();
}

/* One that counts, one that has a name, one that --key names. */
START_TEST(no_set)
{
	check_no_set(NULL, NULL, 9);
	check_no_set("u64 count", NULL, 0);
	check_no_set("u64 n", "weight=n", 0);
}
END_TEST

START_TEST(per_cpu_weights)
{
	static const struct {
		enum input_per_cpu how;
		const char *expected;
	} ways[] = {{INPUT_PER_CPU_SUM, "5/-1 - x18 " ONE "6/-1 - x4 " ONE},
		{INPUT_PER_CPU_MAX, "5/-1 - x9 " ONE "6/-1 - x4 " ONE},
		{INPUT_PER_CPU_MIN, "5/-1 - x2 " ONE "6/-1 - x4 " ONE}};
	static const uint64_t values[2][4] = {{7, 0, 2, 9}, {0, 0, 0, 4}};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		options.per_cpu = ways[i].how;
		start_counts(NULL, NULL);
		for (uint32_t key = 0; key < 2; key++)
			for (int cpu = 0; cpu < 4; cpu++)
				count_of(5 + key, &values[key][cpu], sizeof(uint64_t), cpu);
		finish(ways[i].expected);
		teardown();
		setup();
	}
}
END_TEST

/*
 * Status 0 ends the stack, whatever remains of an earlier one; the type says that these are
 * records.
 */
START_TEST(records_by_layout)
{
	struct {
		uint64_t pid;
		struct {
			int32_t status;
			uint8_t id[20];
			uint64_t offset;
		} ustack[4];
	} key = {5, {{2, {}, U + 1}, {2, {}, U + 2}, {0, {}, U + 3}, {2, {}, U + 4}}};
	uint64_t count = 7;

	options.key_layout = "u64 pid; struct bpf_stack_build_id ustack[4]";
	start();
	collector_map_begin(collector, "counts", INPUT_ANY);
	entry(&key, sizeof(key), &count, sizeof(count), -1);
	collector_map_end(collector, false);
	finish("5/-1 - x7 u=7f0000001001,7f0000001002\n");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("map_kinds");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, queue);
	tcase_add_test(tcase, queue_beside_counts);
	tcase_add_test(tcase, queue_without_layout);
	tcase_add_test(tcase, queue_of_stacks);
	tcase_add_test(tcase, zero_elements_of_arrays);
	tcase_add_test(tcase, zero_elements_of_one_cpu);
	tcase_add_test(tcase, zero_values_elsewhere);
	tcase_add_test(tcase, zero_values_of_a_part);
	tcase_add_test(tcase, zero_array);
	tcase_add_test(tcase, elements_by_layout);
	tcase_add_test(tcase, fields_that_do_not_fit);
	tcase_add_test(tcase, records_by_layout);
	tcase_add_test(tcase, histogram_as_weight);
	tcase_add_test(tcase, histogram_that_overflows);
	tcase_add_test(tcase, weights_below_zero);
	tcase_add_test(tcase, slots_below_zero);
	tcase_add_test(tcase, set);
	tcase_add_test(tcase, no_set);
	tcase_add_test(tcase, per_cpu_weights);
	return tests_run(tcase);
}
