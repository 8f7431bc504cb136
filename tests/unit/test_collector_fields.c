// SPDX-License-Identifier: GPL-2.0-or-later
/* Entries and rows whose fields have names; which stack map an ID is looked up in. */
#include <check.h>
#include <string.h>

#include "collector_fixture.h"
#include "run.h"

static struct field number(const char *name, uint64_t n)
{
	return (struct field){.name = name, .kind = FIELD_NUMBER, .width = 4, .number = n};
}

static struct field text(const char *name, const char *s)
{
	return (struct field){.name = name, .kind = FIELD_TEXT, .bytes = s, .len = strlen(s)};
}

static void formatted(const struct field *fields, size_t n, int cpu)
{
	struct row record = {fields, n};
	struct map_entry e = {.formatted = &record, .cpu = cpu, .position = "t:2"};

	collector_entry(collector, &e);
}

START_TEST(offcputime_with_btf)
{
	struct field fields[] = {number("key.pid", 21), number("key.tgid", 20),
		number("key.user_stack_id", 1), number("key.kern_stack_id", 4294967282U),
		number("value.delta", 300), text("value.comm", "sleepy")};

	start();
	one_stack_map();
	collector_map_begin(collector, "info", INPUT_ANY);
	formatted(fields, 6, -1);
	collector_map_end(collector, false);
	finish("20/21 sleepy x300 u=7f0000001001,7f0000001002\n");
}
END_TEST

/* The ID of a thread, in a field that is called pid. */
START_TEST(pid_of_a_thread)
{
	struct field fields[] = {
		number("key.pid", 20), number("key.ustack", 1), number("value", 3)};

	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	formatted(fields, 3, -1);
	collector_map_end(collector, false);
	finish("10/20 - x3 u=7f0000001001,7f0000001002\n");
}
END_TEST

/*
 * Names do not decide: the content shows whether both halves are the process, or one is a thread.
 */
START_TEST(pairs_without_names)
{
	struct field main_thread[] = {
		number("key.a", 10ULL << 32 | 10), number("key.b", 1), number("value", 3)};
	struct field other_thread[] = {
		number("key.a", 10ULL << 32 | 20), number("key.b", 1), number("value", 4)};

	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	formatted(main_thread, 3, -1);
	collector_map_end(collector, false);
	finish("10/10 - x3 u=7f0000001001,7f0000001002\n");
	collector_destroy(collector);
	text_clear(&recording.text);
	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	formatted(other_thread, 3, -1);
	collector_map_end(collector, false);
	finish("10/20 - x4 u=7f0000001001,7f0000001002\n");
}
END_TEST

START_TEST(per_cpu_values_are_summed)
{
	start();
	collector_map_begin(collector, "counts", INPUT_ANY);
	for (int cpu = 0; cpu < 4; cpu++) {
		struct field fields[] = {number("key.pid", 5), number("key.stack_id", 3),
			number("value", (uint64_t)cpu)};

		formatted(fields, 3, cpu);
		formatted(fields, 3, cpu);
	}
	collector_map_end(collector, false);
	one_stack_map();
	finish("5/-1 - x6 k=ffffffff81000001,ffffffff81000002,0,ffffffff81000004\n");
}
END_TEST

START_TEST(stack_id_in_the_value)
{
	struct field fields[] = {number("key", 0x1000), number("value.size", 64),
		number("value.timestamp_ns", 5), number("value.stack_id", 2)};

	options.pid = 9;
	start();
	one_stack_map();
	collector_map_begin(collector, "allocs", INPUT_ANY);
	formatted(fields, 4, -1);
	collector_map_end(collector, false);
	finish("9/-1 - x64 u=7f0000001005,7f0000001006,7f0000001007,7f0000001008,7f0000001009…\n");
}
END_TEST

/*
 * The key is the stopped process, not a kernel stack, although a stack has that number as its ID.
 */
START_TEST(plain_key_beside_a_named_stack)
{
	struct field fields[] = {
		number("key", 1000), number("value.ustack", 1), number("value.count", 7)};

	start();
	one_stack_map();
	collector_map_begin(collector, "stopped", INPUT_ANY);
	formatted(fields, 3, -1);
	collector_map_end(collector, false);
	finish("-1/-1 - x7 u=7f0000001001,7f0000001002\n");
}
END_TEST

/* The whole of a value: an array, as a dump by BTF has it. WIDTH 0: a text dump does not say. */
static struct field array(
	enum field_kind kind, const void *bytes, size_t len, uint64_t sum, uint8_t width)
{
	return (struct field){.name = "value",
		.kind = kind,
		.bytes = bytes,
		.len = len,
		.number = sum,
		.width = width,
		.is_sum = true};
}

/* A map of two such values, for the stacks 1 and 3. */
static void arrays(const char *key_name, struct field first, struct field second)
{
	struct field a[] = {number(key_name, 1), first}, b[] = {number(key_name, 3), second};

	start();
	one_stack_map();
	collector_map_begin(collector, "arrays", INPUT_ANY);
	formatted(a, 2, -1);
	formatted(b, 2, -1);
	collector_map_end(collector, false);
}

#define ARRAYS_SUMMED                                                                              \
	"-1/-1 - x6 u=7f0000001001,7f0000001002\n"                                                 \
	"-1/-1 - x301 k=ffffffff81000001,ffffffff81000002,0,ffffffff81000004\n"

START_TEST(arrays_add_up)
{
	static const uint64_t large[] = {300, 1};

	/* One number is too large for a byte, or the bytes are known to be wider elements. */
	arrays("key.stack", array(FIELD_TEXT, "\1\2\3", 3, 6, 0),
		array(FIELD_NUMBERS, large, 16, 301, 0));
	finish(ARRAYS_SUMMED);
	teardown();
	setup();
	arrays("key", array(FIELD_BYTES, "\1\2\3", 3, 6, 4), array(FIELD_WORDS, large, 16, 301, 4));
	finish(ARRAYS_SUMMED);
}
END_TEST

START_TEST(arrays_of_bytes)
{
	arrays("key.stack", array(FIELD_BYTES, "\1\2\3", 3, 6, 1),
		array(FIELD_BYTES, "\1\2\3", 3, 6, 1));
	finish("-1/-1 - x1 u=7f0000001001,7f0000001002\n"
	       "-1/-1 - x1 k=ffffffff81000001,ffffffff81000002,0,ffffffff81000004\n");
	ck_assert(log_has(&messages, "no field of its values is known to be the weight"));
}
END_TEST

START_TEST(arrays_of_small_numbers)
{
	arrays("key.stack", array(FIELD_BYTES, "\1\2\3", 3, 6, 0),
		array(FIELD_TEXT, "AB", 2, 131, 0));
	finish_failing(ERROR_INPUT, "arrays of small numbers");
	ck_assert(log_has(&messages, "--key=weight=value"));
}
END_TEST

START_TEST(arrays_like_stacks)
{
	static const uint64_t words[] = {U, U + 16}, times[] = {5000000000, 0};

	/* The key is a stack ID: these are times, or stacks. */
	arrays("key", array(FIELD_WORDS, words, 16, 2 * U + 16, 8),
		array(FIELD_WORDS, times, 16, times[0], 8));
	finish_failing(ERROR_INPUT, "its values look like stacks");
	ck_assert(log_has(&messages, "--key=stack=key,weight=value"));
	ck_assert(log_has(&messages, "--key=stack=value"));
	teardown();
	setup();
	/* The map whose key is a stack ID has no stack in its value. */
	arrays("key.stack", array(FIELD_WORDS, times, 16, times[0], 8),
		array(FIELD_WORDS, times, 16, times[0], 8));
	finish("-1/-1 - x5000000000 u=7f0000001001,7f0000001002\n"
	       "-1/-1 - x5000000000 k=ffffffff81000001,ffffffff81000002,0,ffffffff81000004\n");
}
END_TEST

START_TEST(arrays_that_are_stacks)
{
	static const uint64_t words[] = {U, U + 16};
	struct field fields[] = {number("key", 12), array(FIELD_WORDS, words, 16, 2 * U + 16, 8)};

	start();
	one_stack_map();
	collector_map_begin(collector, "stopped", INPUT_ANY);
	formatted(fields, 2, -1);
	collector_map_end(collector, false);
	finish("-1/-1 - x1 u=7f0000001000,7f0000001010…\n");
}
END_TEST

/* It is unknown which of two counts, or of two processes, is meant. */
START_TEST(names_that_come_twice)
{
	struct field weights[] = {
		number("key.ustack", 1), number("value.rd.count", 7), number("value.wr.count", 8)};
	struct field pids[] = {number("key.prev.pid", 10), number("key.next.pid", 11),
		number("key.ustack", 1), number("value", 3)};
	struct field structs[] = {
		number("key.ustack", 1), number("value.count", 7), number("value.count", 8)};

	start();
	one_stack_map();
	formatted(weights, 3, -1);
	finish_failing(ERROR_INPUT, "several fields could be its weight");
	ck_assert(log_has(&messages, "--key=weight=value.rd.count"));
	ck_assert(log_has(&messages, "--key=weight=value.wr.count"));
	teardown();
	setup();
	start();
	one_stack_map();
	formatted(pids, 4, -1);
	finish_failing(ERROR_INPUT, "several fields could be its pid");
	ck_assert(log_has(&messages, "--key=pid=key.next.pid"));
	teardown();
	setup();
	start();
	one_stack_map();
	formatted(structs, 3, -1);
	finish_failing(ERROR_INPUT, "in an array of structs");
	teardown();
	setup();
	options.key_fields = "weight=wr.count";
	start();
	one_stack_map();
	formatted(weights, 3, -1);
	finish("-1/-1 - x8 u=7f0000001001,7f0000001002\n");
}
END_TEST

START_TEST(the_same_dump_twice)
{
	struct field fields[] = {
		number("key.pid", 10), number("key.ustack", 1), number("value", 7)};

	start();
	one_stack_map();
	for (int i = 0; i < 3; i++) {
		fields[2].number = i < 2 ? 7 : 8;
		collector_map_begin(collector, i == 1 ? "again" : "counts", INPUT_ANY);
		formatted(fields, 3, -1);
		collector_map_end(collector, false);
	}
	finish("10/-1 - x7 u=7f0000001001,7f0000001002\n10/-1 - x7 u=7f0000001001,7f0000001002\n"
	       "10/-1 - x8 u=7f0000001001,7f0000001002\n");
	ck_assert(log_has(&messages, "counts and again have the same entries, which count twice"));
	ck_assert(!log_has(&messages, "counts and counts"));
}
END_TEST

START_TEST(same_id_in_two_maps)
{
	struct field a[] = {number("key.ustack", 1), number("key.kstack", 1), number("value", 1)};

	start();
	collector_map_begin(collector, "user", INPUT_ANY);
	stack5(1, U, U, 0, 0, 0);
	collector_map_end(collector, false);
	collector_map_begin(collector, "kernel", INPUT_ANY);
	stack5(1, K, K, 0, 0, 0);
	collector_map_end(collector, false);
	collector_map_begin(collector, "counts", INPUT_ANY);
	formatted(a, 3, -1);
	collector_map_end(collector, false);
	finish("-1/-1 - x1 u=7f0000001000,7f0000001000 k=ffffffff81000000,ffffffff81000000\n");
}
END_TEST

static void two_depths(void)
{
	collector_map_begin(collector, "deep", INPUT_ANY);
	stack5(1, U, U, 0, 0, 0);
	stack5(5, U, U, U, 0, 0);
	collector_map_end(collector, false);
	collector_map_begin(collector, "flat", INPUT_ANY);
	stack5(1, U + 1, 0, 0, 0, 0);
	collector_map_end(collector, false);
}

START_TEST(doubtful_id)
{
	struct field a[] = {number("key.ustack", 1), number("value", 1)};

	start();
	two_depths();
	collector_map_begin(collector, "counts", INPUT_ANY);
	formatted(a, 2, -1);
	collector_map_end(collector, false);
	finish("-1/-1 - x1 u=<stack ID in several stack maps>\n");
	ck_assert(log_has(&messages, "--user-stacks"));
}
END_TEST

START_TEST(map_that_knows_all_ids)
{
	struct field a[] = {number("key.ustack", 1), number("value", 1)};

	start();
	two_depths();
	collector_map_begin(collector, "counts", INPUT_ANY);
	formatted(a, 2, -1);
	a[0].number = 5;
	formatted(a, 2, -1);
	collector_map_end(collector, false);
	finish("-1/-1 - x1 u=7f0000001000,7f0000001000\n"
	       "-1/-1 - x1 u=7f0000001000,7f0000001000,7f0000001000\n");
}
END_TEST

START_TEST(given_map)
{
	struct field a[] = {number("key.ustack", 1), number("value", 1)};

	start();
	two_depths();
	collector_map_begin(collector, "given", INPUT_USER_STACKS);
	stack5(1, 5, U + 9, 0, 0, 0);
	collector_map_end(collector, false);
	collector_map_begin(collector, "counts", INPUT_ANY);
	formatted(a, 2, -1);
	collector_map_end(collector, false);
	finish("-1/-1 - x1 u=5,7f0000001009\n");
}
END_TEST

START_TEST(missing_field_named)
{
	struct field a[] = {number("key.ustack", 1), number("value", 1)};

	options.key_fields = "user=usid";
	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	formatted(a, 2, -1);
	collector_map_end(collector, false);
	finish_failing(ERROR_USAGE,
		"counts: --key user=usid names a field that does not exist here; there are: key.ustack, value");
}
END_TEST

START_TEST(pid_tgid_row)
{
	struct field row[] = {number("pid_tgid", 77ULL << 32 | 78), number("user", 1),
		number("count", 3), text("comm", "a b")};
	struct row record = {row, 4};

	start();
	one_stack_map();
	ck_assert_ptr_null(collector_row(collector, &record, "t:3"));
	ck_assert_ptr_null(collector_stacks_complete(collector));
	ck_assert(collector_weighted(collector));
	ck_assert_ptr_null(collector_row(collector, &record, "t:4"));
	ck_assert_ptr_null(collector_flush(collector));
	ck_assert_uint_eq(recording.samples, 2);
	finish("77/78 a b x3 u=7f0000001001,7f0000001002\n"
	       "77/78 a b x3 u=7f0000001001,7f0000001002\n");
}
END_TEST

START_TEST(marks_split_a_stack)
{
	uint64_t ips[] = {(uint64_t)-128, K, K + 1, (uint64_t)-512, U, U + 1, 0, 0};
	struct field fields[] = {number("pid", 4),
		{.name = "ips", .kind = FIELD_WORDS, .bytes = (char *)ips, .len = sizeof(ips)}};
	struct row record = {fields, 2};

	start();
	ck_assert_ptr_null(collector_row(collector, &record, "t:1"));
	finish("4/-1 - x1 u=7f0000001000,7f0000001001 k=ffffffff81000000,ffffffff81000001\n");
}
END_TEST

START_TEST(many_samples_come_in_batches)
{
	struct field a[] = {number("key.ustack", 1), number("value", 1), number("key.pid", 0)};

	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	for (unsigned int i = 0; i < 40000; i++) {
		a[2].number = i;
		formatted(a, 3, -1);
	}
	collector_map_end(collector, true);
	ck_assert_ptr_null(collector_end(collector, &stats));
	ck_assert_uint_eq(recording.samples, 40000);
	ck_assert_uint_eq(recording.batches, 3);
	ck_assert_uint_eq(recording.flushes, 1);
	ck_assert(log_has(&messages, "the dump is truncated"));
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("collector_fields");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, offcputime_with_btf);
	tcase_add_test(tcase, pid_of_a_thread);
	tcase_add_test(tcase, pairs_without_names);
	tcase_add_test(tcase, per_cpu_values_are_summed);
	tcase_add_test(tcase, stack_id_in_the_value);
	tcase_add_test(tcase, plain_key_beside_a_named_stack);
	tcase_add_test(tcase, arrays_add_up);
	tcase_add_test(tcase, arrays_of_bytes);
	tcase_add_test(tcase, arrays_of_small_numbers);
	tcase_add_test(tcase, arrays_like_stacks);
	tcase_add_test(tcase, arrays_that_are_stacks);
	tcase_add_test(tcase, names_that_come_twice);
	tcase_add_test(tcase, the_same_dump_twice);
	tcase_add_test(tcase, same_id_in_two_maps);
	tcase_add_test(tcase, doubtful_id);
	tcase_add_test(tcase, map_that_knows_all_ids);
	tcase_add_test(tcase, given_map);
	tcase_add_test(tcase, missing_field_named);
	tcase_add_test(tcase, pid_tgid_row);
	tcase_add_test(tcase, marks_split_a_stack);
	tcase_add_test(tcase, many_samples_come_in_batches);
	return tests_run(tcase);
}
