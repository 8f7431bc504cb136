// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "input/collector.h"
#include "recording_sink.h"
#include "util/vec.h"

#define U 0x7f0000001000ULL
#define K 0xffffffff81000000ULL

static struct recording recording;
static struct log messages;
static struct input_options options;
static struct input_sink sink = {.batch = record_batch, .context = &recording};
static struct collector *collector;
static struct input_stats stats;

static void setup(void)
{
	recording = (struct recording){};
	messages = (struct log){};
	options = (struct input_options){.pid = -1};
	stats = (struct input_stats){};
}

static void teardown(void)
{
	collector_destroy(collector);
	collector = NULL;
	log_deinit(&messages);
	text_deinit(&recording.text);
}

static void start(void)
{
	collector = collector_create(&options, &messages, &sink);
}

static void entry(const void *key, size_t key_len, const void *value, size_t value_len, int cpu)
{
	struct map_entry e = {key, value, key_len, value_len, cpu, NULL, "t:1"};

	collector_entry(collector, &e);
}

static void stack4(uint32_t id, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	uint64_t value[5] = {a, b, c, d, e};

	entry(&id, 4, value, sizeof(value), -1);
}

/* user stacks 1, 2; kernel stacks 3, 1000 */
static void one_stack_map(void)
{
	collector_map_begin(collector, "stacks", INPUT_ANY);
	stack4(1, U + 1, U + 2, 0, 0, 0);
	stack4(3, K + 1, K + 2, 0, K + 4, 0);
	stack4(1000, K + 7, 0, 0, 0, 0);
	stack4(2, U + 5, U + 6, U + 7, U + 8, U + 9);
	collector_map_end(collector, false);
}

static void finish(const char *expected)
{
	struct error *err = collector_end(collector, &stats);

	ck_assert_msg(!err, "%s", err ? error_message(err) : "");
	ck_assert_str_eq(recorded(&recording), expected);
}

static void finish_failing(enum error_kind kind, const char *part)
{
	struct error *err = collector_end(collector, &stats);

	ck_assert_ptr_nonnull(err);
	ck_assert_int_eq(error_kind(err), kind);
	ck_assert_msg(strstr(error_message(err), part), "%s", error_message(err));
	error_destroy(err);
}

struct profile_key {
	uint32_t pid;
	int32_t user, kernel;
	char name[16];
};

static void profile(uint32_t pid, int32_t user, int32_t kernel, const char *name, uint64_t count)
{
	struct profile_key key = {.pid = pid, .user = user, .kernel = kernel};

	memcpy(key.name, name, strlen(name));
	entry(&key, sizeof(key), &count, sizeof(count), -1);
}

START_TEST(stacks_alone)
{
	options.pid = 7;
	start();
	one_stack_map();
	finish("7/-1 - x1 u=7f0000001001,7f0000001002\n"
	       "7/-1 - x1 u=7f0000001005,7f0000001006,7f0000001007,7f0000001008,7f0000001009…\n"
	       "7/-1 - x1 k=ffffffff81000001,ffffffff81000002,0,ffffffff81000004\n"
	       "7/-1 - x1 k=ffffffff81000007\n");
	ck_assert(!stats.weighted);
	ck_assert_uint_eq(stats.stacks, 4);
}
END_TEST

START_TEST(known_layout_before_stacks)
{
	start();
	collector_map_begin(collector, "counts", INPUT_ANY);
	profile(10, 1, 3, "demo", 5);
	profile(11, -14, 1000, "kw:1", 6);
	profile(10, 1, 3, "demo", 9);
	profile(12, -17, -12, "lost", 1);
	profile(12, 77, -22, "gone", 1);
	profile(12, 2, -1, "zero", 0);
	collector_map_end(collector, false);
	one_stack_map();
	finish("10/-1 demo x9 u=7f0000001001,7f0000001002 "
	       "k=ffffffff81000001,ffffffff81000002,0,ffffffff81000004\n"
	       "11/-1 kw:1 x6 k=ffffffff81000007\n"
	       "12/-1 lost x1 u=<hash collision> k=<stack map full>\n"
	       "12/-1 gone x1 u=<stack ID not in the dump> k=<bpf_get_stackid failed>\n");
	ck_assert(stats.weighted);
	ck_assert(log_has(&messages, "libbpf-tools profile"));
	ck_assert(log_has(&messages, "a key came again"));
	ck_assert(log_has(&messages, "weight 0"));
	ck_assert(log_has(&messages, "hash collision"));
}
END_TEST

START_TEST(given_layouts)
{
	struct {
		uint32_t a;
		int32_t b;
		uint64_t c;
	} key = {42, 3, 99}, value = {7, 0, 8};

	options.key_layout = "u32 proc; s32 where; u64 other";
	options.value_layout = "struct { u32 n; u32 pad; } stats; u64 more";
	options.key_fields = "pid=proc,kernel=where,weight=stats.n";
	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	entry(&key, sizeof(key), &value, sizeof(value), -1);
	collector_map_end(collector, false);
	finish("42/-1 - x7 k=ffffffff81000001,ffffffff81000002,0,ffffffff81000004\n");
}
END_TEST

START_TEST(layout_of_wrong_size)
{
	options.key_layout = "u32 pid; s32 user";
	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	profile(10, 1, 3, "demo", 5);
	collector_map_end(collector, false);
	finish_failing(ERROR_USAGE, "--key-layout describes 8 bytes, but each key in counts has 28");
}
END_TEST

START_TEST(unknown_layout)
{
	uint8_t key[13] = {1}, value[3] = {1};

	start();
	collector_map_begin(collector, "stacks", INPUT_ANY);
	stack4(1, U, U, 0, 0, 0);
	collector_map_end(collector, false);
	collector_map_begin(collector, "odd", INPUT_ANY);
	entry(key, sizeof(key), value, sizeof(value), -1);
	collector_map_end(collector, false);
	finish("-1/-1 - x1 u=7f0000001000,7f0000001000\n");
	ck_assert(log_has(&messages, "odd: keys of 13 and values of 3 bytes fit no known layout"));
}
END_TEST

START_TEST(counts_without_stacks)
{
	start();
	collector_map_begin(collector, "counts", INPUT_ANY);
	profile(10, 1, 3, "demo", 5);
	collector_map_end(collector, false);
	finish_failing(ERROR_INPUT, "no stack map is in the input");
}
END_TEST

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
	struct record record = {fields, n};
	struct map_entry e = {.formatted = &record, .cpu = cpu, .place = "t:2"};

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

START_TEST(plain_key_is_the_id)
{
	uint64_t key = 3, count = 4;

	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	entry(&key, 8, &count, 8, -1);
	key = 1;
	entry(&key, 8, &count, 8, -1);
	collector_map_end(collector, false);
	finish("-1/-1 - x4 k=ffffffff81000001,ffffffff81000002,0,ffffffff81000004\n"
	       "-1/-1 - x4 u=7f0000001001,7f0000001002\n");
}
END_TEST

START_TEST(u32_counters_are_counts)
{
	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	for (uint32_t id = 1; id < 4; id++) {
		uint64_t count = id * 1000000;

		entry(&id, 4, &count, 8, -1);
	}
	collector_map_end(collector, false);
	finish("-1/-1 - x1000000 u=7f0000001001,7f0000001002\n"
	       "-1/-1 - x2000000 "
	       "u=7f0000001005,7f0000001006,7f0000001007,7f0000001008,7f0000001009…\n"
	       "-1/-1 - x3000000 k=ffffffff81000001,ffffffff81000002,0,ffffffff81000004\n");
}
END_TEST

START_TEST(same_id_in_two_maps)
{
	struct field a[] = {number("key.ustack", 1), number("key.kstack", 1), number("value", 1)};

	start();
	collector_map_begin(collector, "user", INPUT_ANY);
	stack4(1, U, U, 0, 0, 0);
	collector_map_end(collector, false);
	collector_map_begin(collector, "kernel", INPUT_ANY);
	stack4(1, K, K, 0, 0, 0);
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
	stack4(1, U, U, 0, 0, 0);
	stack4(5, U, U, U, 0, 0);
	collector_map_end(collector, false);
	collector_map_begin(collector, "flat", INPUT_ANY);
	stack4(1, U + 1, 0, 0, 0, 0);
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
	stack4(1, 5, U + 9, 0, 0, 0);
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
		"counts: --key user=usid names no field here; there are: key.ustack, value");
}
END_TEST

START_TEST(pid_tgid_row)
{
	struct field row[] = {number("pid_tgid", 77ULL << 32 | 78), number("user", 1),
		number("count", 3), text("comm", "a b")};
	struct record record = {row, 4};

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

struct event {
	uint32_t pid;
	int32_t kstack_sz, ustack_sz;
	char comm[16];
	uint64_t kstack[4], ustack[4];
};

START_TEST(events_with_inline_stacks)
{
	struct event event = {5, 16, 32, "prog", {K, K + 1, K + 2, 0}, {U, U + 1, U + 2, U + 3}};

	options.event_layout = "u32 pid; s32 kstack_sz, ustack_sz; char comm[16]; "
			       "u64 kstack[4]; u64 ustack[4]";
	start();
	ck_assert_ptr_null(collector_stacks_complete(collector));
	ck_assert_ptr_null(collector_event(collector, (uint8_t *)&event, sizeof(event), 9, "e"));
	event.kstack_sz = -14;
	ck_assert_ptr_null(collector_event(collector, (uint8_t *)&event, sizeof(event), 9, "e"));
	ck_assert_ptr_null(collector_event(collector, (uint8_t *)&event, 5, 9, "e"));
	finish("5/-1 prog x1 u=7f0000001000,7f0000001001,7f0000001002,7f0000001003… "
	       "k=ffffffff81000000,ffffffff81000001\n"
	       "5/-1 prog x1 u=7f0000001000,7f0000001001,7f0000001002,7f0000001003…\n");
	ck_assert(log_has(&messages, "an event of 5 bytes is shorter"));
}
END_TEST

START_TEST(events_without_layout)
{
	start();
	struct error *err = collector_event(collector, (const uint8_t *)"abc", 3, 0, "e:1");

	ck_assert_ptr_nonnull(err);
	ck_assert_int_eq(error_kind(err), ERROR_USAGE);
	error_destroy(err);
}
END_TEST

START_TEST(marks_split_a_stack)
{
	uint64_t ips[] = {(uint64_t)-128, K, K + 1, (uint64_t)-512, U, U + 1, 0, 0};
	struct field fields[] = {number("pid", 4),
		{.name = "ips", .kind = FIELD_WORDS, .bytes = (char *)ips, .len = sizeof(ips)}};
	struct record record = {fields, 2};

	start();
	ck_assert_ptr_null(collector_row(collector, &record, "t:1"));
	finish("4/-1 - x1 u=7f0000001000,7f0000001001 k=ffffffff81000000,ffffffff81000001\n");
}
END_TEST

struct id_record {
	int32_t status;
	uint8_t build_id[20];
	uint64_t offset;
};

START_TEST(build_id_stacks)
{
	struct id_record slots[4] = {{1, {0xab, 0xcd}, 0x1000}, {2, {}, U}, {1, {0xef}, 8}};
	uint32_t id = 6;

	start();
	collector_map_begin(collector, "ids", INPUT_ANY);
	entry(&id, 4, slots, sizeof(slots), -1);
	collector_map_end(collector, false);
	finish("-1/-1 - x1 u=abcd+1000,7f0000001000,ef00+8\n");
}
END_TEST

START_TEST(many_samples_come_in_batches)
{
	struct field a[] = {number("key.ustack", 1), number("value", 1), number("key.pid", 0)};

	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	for (unsigned int i = 0; i < 20000; i++) {
		a[2].number = i;
		formatted(a, 3, -1);
	}
	collector_map_end(collector, true);
	ck_assert_ptr_null(collector_end(collector, &stats));
	ck_assert_uint_eq(recording.samples, 20000);
	ck_assert_uint_eq(recording.batches, 3);
	ck_assert_uint_eq(recording.flushes, 1);
	ck_assert(log_has(&messages, "cut off"));
}
END_TEST

START_TEST(wrong_options_are_told)
{
	options.key_fields = "pid=tgid,nonsense=1";
	start();
	one_stack_map();
	finish_failing(ERROR_USAGE, "--key, column 10");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("collector");
	TCase *tcase = tcase_create("all");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, stacks_alone);
	tcase_add_test(tcase, known_layout_before_stacks);
	tcase_add_test(tcase, given_layouts);
	tcase_add_test(tcase, layout_of_wrong_size);
	tcase_add_test(tcase, unknown_layout);
	tcase_add_test(tcase, counts_without_stacks);
	tcase_add_test(tcase, offcputime_with_btf);
	tcase_add_test(tcase, per_cpu_values_are_summed);
	tcase_add_test(tcase, stack_id_in_the_value);
	tcase_add_test(tcase, plain_key_is_the_id);
	tcase_add_test(tcase, u32_counters_are_counts);
	tcase_add_test(tcase, same_id_in_two_maps);
	tcase_add_test(tcase, doubtful_id);
	tcase_add_test(tcase, map_that_knows_all_ids);
	tcase_add_test(tcase, given_map);
	tcase_add_test(tcase, missing_field_named);
	tcase_add_test(tcase, pid_tgid_row);
	tcase_add_test(tcase, events_with_inline_stacks);
	tcase_add_test(tcase, events_without_layout);
	tcase_add_test(tcase, marks_split_a_stack);
	tcase_add_test(tcase, build_id_stacks);
	tcase_add_test(tcase, many_samples_come_in_batches);
	tcase_add_test(tcase, wrong_options_are_told);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
