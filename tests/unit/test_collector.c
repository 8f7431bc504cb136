// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks, counts and events as bytes that layouts describe. */
#include <check.h>
#include <string.h>

#include "collector_fixture.h"
#include "run.h"

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

static void looked_up(uint32_t id, uint64_t a, uint64_t b)
{
	collector_map_begin(collector, "stacks", INPUT_ANY);
	stack5(id, a, b, 0, 0, 0);
	collector_map_is_lookup(collector);
	collector_map_end(collector, false);
}

/* Stacks that were looked up one by one are one map, and low IDs do not show how full it is. */
START_TEST(lookups_are_one_map)
{
	start();
	looked_up(5, K + 1, K + 2);
	for (uint32_t i = 0; i < 100; i++)
		looked_up(60 + 4000 * i, U + i, U + 5);
	collector_map_begin(collector, "counts", INPUT_ANY);
	profile(10, 12060, 5, "demo", 5);
	profile(10, 36060, 5, "demo", 2);
	collector_map_end(collector, false);
	finish("10/-1 demo x5 u=7f0000001003,7f0000001005 k=ffffffff81000001,ffffffff81000002\n"
	       "10/-1 demo x2 u=7f0000001009,7f0000001005 k=ffffffff81000001,ffffffff81000002\n");
	ck_assert_uint_eq(stats.stacks, 101);
}
END_TEST

/* The same ID with another stack is from another map. */
START_TEST(lookups_of_two_maps)
{
	options.key_layout = "u32 pid; s32 user; s32 kernel; char comm[16]";
	start();
	looked_up(10000, K + 1, K + 2);
	looked_up(20000, U + 1, U + 2);
	looked_up(10000, U + 3, U + 4);
	looked_up(20000, K + 5, K + 6);
	collector_map_begin(collector, "counts", INPUT_COUNTS);
	profile(10, 20000, 10000, "demo", 5);
	profile(10, 10000, 20000, "demo", 2);
	collector_map_end(collector, false);
	finish("10/-1 demo x5 u=7f0000001001,7f0000001002 k=ffffffff81000001,ffffffff81000002\n"
	       "10/-1 demo x2 u=7f0000001003,7f0000001004 k=ffffffff81000005,ffffffff81000006\n");
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
	ck_assert(
		log_has(&messages, "--key-layout='u32 pid; s32 user; s32 kernel; char comm[16]'"));
	ck_assert(log_has(&messages, "a key is repeated"));
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

/* Keys that hold the stack itself, in bytes without names: each is told from any other. */
static bool distinct;

static void inline_entry(uint64_t at, uint64_t word, int cpu, uint64_t count)
{
	struct {
		uint32_t pid, unused;
		uint64_t stack[10];
	} key = {10, 0, {U + 1, U + 2}};
	const struct map_entry entry = {.key = (const uint8_t *)&key,
		.value = (const uint8_t *)&count,
		.key_len = sizeof(key),
		.value_len = sizeof(count),
		.cpu = cpu,
		.distinct = distinct};

	key.stack[at] = word;
	collector_entry(collector, &entry);
}

START_TEST(keys_with_stacks)
{
	options.key_layout = "u32 pid; u32 unused; u64 ustack[10]";
	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	inline_entry(2, 0, -1, 1);
	inline_entry(2, U + 3, -1, 2);
	inline_entry(9, 0, -1, 4); /* as the first one */
	inline_entry(0, U + 3, -1, 8);
	inline_entry(2, U + 3, -1, 16);
	collector_map_end(collector, false);
	finish("10/-1 - x4 u=7f0000001001,7f0000001002\n"
	       "10/-1 - x16 u=7f0000001001,7f0000001002,7f0000001003\n"
	       "10/-1 - x8 u=7f0000001003,7f0000001002\n");
	ck_assert(log_has(&messages, "a key is repeated"));
}
END_TEST

/* As of a live hash. */
START_TEST(keys_that_do_not_come_again)
{
	options.key_layout = "u32 pid; u32 unused; u64 ustack[10]";
	distinct = true;
	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	inline_entry(2, 0, -1, 1);
	inline_entry(2, U + 3, -1, 2);
	inline_entry(2, U + 4, 0, 4); /* all CPUs of a key are one sample still */
	inline_entry(2, U + 4, 1, 8);
	collector_map_end(collector, false);
	finish("10/-1 - x1 u=7f0000001001,7f0000001002\n"
	       "10/-1 - x2 u=7f0000001001,7f0000001002,7f0000001003\n"
	       "10/-1 - x12 u=7f0000001001,7f0000001002,7f0000001004\n");
	distinct = false;
}
END_TEST

START_TEST(keys_with_stacks_on_cpus)
{
	options.key_layout = "u32 pid; u32 unused; u64 ustack[10]";
	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	for (int cpu = 0; cpu < 3; cpu++)
		inline_entry(2, 0, cpu, 1);
	for (int cpu = 0; cpu < 3; cpu++)
		inline_entry(2, U + 3, cpu, 2);
	inline_entry(2, 0, 1, 5);
	collector_map_end(collector, false);
	finish("10/-1 - x7 u=7f0000001001,7f0000001002\n"
	       "10/-1 - x6 u=7f0000001001,7f0000001002,7f0000001003\n");
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
	finish_failing(ERROR_USAGE, "--key-layout declares 8 bytes, but each key in counts has 28");
}
END_TEST

START_TEST(unknown_layout)
{
	uint8_t key[13] = {9}, value[3] = {1};

	start();
	collector_map_begin(collector, "stacks", INPUT_ANY);
	stack5(1, U, U, 0, 0, 0);
	collector_map_end(collector, false);
	collector_map_begin(collector, "odd", INPUT_ANY);
	entry(key, sizeof(key), value, sizeof(value), -1);
	collector_map_end(collector, false);
	finish_failing(ERROR_INPUT, "odd: has no usable counts");
	ck_assert(log_has(&messages, "odd: not used: none of its numbers is a stack ID"));
}
END_TEST

START_TEST(counts_without_stacks)
{
	start();
	collector_map_begin(collector, "counts", INPUT_ANY);
	profile(10, 1, 3, "demo", 5);
	collector_map_end(collector, false);
	finish_failing(ERROR_INPUT, "the input has no stack map");
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

/* The scratch map of offcputime has the sizes of memleak's allocations, and a stack ID at the same
 * place. */
START_TEST(scratch_is_no_allocation)
{
	struct {
		uint64_t start;
		uint32_t pid, tgid;
		int32_t user, kernel;
	} value = {15e12, 20, 10, 1, 3};

	start();
	one_stack_map();
	collector_map_begin(collector, "start", INPUT_ANY);
	for (uint32_t thread = 10; thread < 14; thread++)
		entry(&thread, 4, &value, sizeof(value), -1);
	collector_map_end(collector, false);
	finish_failing(ERROR_INPUT, "no usable counts");
}
END_TEST

START_TEST(allocations)
{
	struct {
		uint64_t size, time;
		int32_t stack_id, padding;
	} value = {64, 15e12, 1, 0};
	uint64_t address = 0x55550000;

	start();
	one_stack_map();
	collector_map_begin(collector, "allocs", INPUT_ANY);
	entry(&address, 8, &value, sizeof(value), -1);
	address++;
	value.stack_id = 2;
	entry(&address, 8, &value, sizeof(value), -1);
	collector_map_end(collector, false);
	finish("-1/-1 - x64 u=7f0000001001,7f0000001002\n"
	       "-1/-1 - x64 u=7f0000001005,7f0000001006,7f0000001007,7f0000001008,7f0000001009…\n");
}
END_TEST

/* Sums of allocations: bytes in 40 bits, their number above; each may be a large number as well. */
static void packed_sums(uint64_t bytes)
{
	start();
	one_stack_map();
	collector_map_begin(collector, "combined_allocs", INPUT_ANY);
	for (uint64_t id = 1; id < 4; id++) {
		uint64_t value = id << 40 | (bytes + id);

		entry(&id, 8, &value, 8, -1);
	}
	collector_map_end(collector, false);
}

START_TEST(packed_sums_are_refused)
{
	packed_sums(1000);
	finish_failing(ERROR_INPUT, "the bytes of allocations in 40 bits");
	ck_assert(log_has(&messages, "--value-layout='u64 value'"));
	ck_assert(log_has(&messages, "--value-layout='u32 value; u32 unused'"));
	ck_assert(log_has(&messages, "--value-layout='u8 rest[8]'"));
}
END_TEST

START_TEST(packed_sums_that_are_large)
{
	packed_sums(5ULL << 30);
	finish_failing(ERROR_INPUT, "the bytes of allocations in 40 bits");
	ck_assert(!log_has(&messages, "u32 value"));
}
END_TEST

START_TEST(packed_sums_as_chosen)
{
	options.value_layout = "u32 value; u32 unused";
	packed_sums(1000);
	finish("-1/-1 - x1001 u=7f0000001001,7f0000001002\n"
	       "-1/-1 - x1002 u=7f0000001005,7f0000001006,7f0000001007,7f0000001008,7f0000001009…\n"
	       "-1/-1 - x1003 k=ffffffff81000001,ffffffff81000002,0,ffffffff81000004\n");
}
END_TEST

/* A number above 4 GiB seldom has a small lower half: {u32 cpu; u32 count}. */
START_TEST(two_numbers_in_one_value)
{
	start();
	one_stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	for (uint64_t id = 1; id < 4; id++) {
		uint64_t value = (100 + id) << 32 | id % 2;

		entry(&id, 8, &value, 8, -1);
	}
	collector_map_end(collector, false);
	finish_failing(ERROR_INPUT, "one number of 8 bytes, or two of 4 bytes");
	ck_assert(log_has(&messages, "--value-layout='u32 unused; u32 weight'"));
	ck_assert(log_has(&messages, "--value-layout='u64 value'"));
}
END_TEST

/* The average would be too large for allocations: plain numbers. */
START_TEST(large_numbers)
{
	packed_sums((900ULL << 30) + 804113321);
	finish("-1/-1 - x2066683382698 u=7f0000001001,7f0000001002\n"
	       "-1/-1 - x3166195010475 "
	       "u=7f0000001005,7f0000001006,7f0000001007,7f0000001008,7f0000001009…\n"
	       "-1/-1 - x4265706638252 k=ffffffff81000001,ffffffff81000002,0,ffffffff81000004\n");
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

struct snapshot_event {
	uint64_t ip, sp, bp;
	uint32_t pid;
	int32_t len;
	uint8_t stack[64];
};

static void snapshot(const char *layout, const void *event, size_t len)
{
	options.event_layout = layout;
	start();
	ck_assert_ptr_null(collector_event(collector, event, len, 9, "e"));
	ck_assert_ptr_null(collector_stacks_complete(collector));
}

START_TEST(events_with_snapshots)
{
	struct snapshot_event event = {U, U + 16, 3, 5, 40, {1, 2, 3}};

	snapshot("u64 ip, sp, bp; u32 pid; s32 len; u8 stack[]", &event, sizeof(event));
	event.len = -14;
	ck_assert_ptr_null(collector_event(collector, (uint8_t *)&event, sizeof(event), 9, "e"));
	event.len = 4000; /* more than there is */
	ck_assert_ptr_null(collector_event(collector, (uint8_t *)&event, sizeof(event), 9, "e"));
	event.ip = 0;
	ck_assert_ptr_null(collector_event(collector, (uint8_t *)&event, sizeof(event), 9, "e"));
	ck_assert_ptr_null(collector_event(collector, (uint8_t *)&event, 20, 9, "e"));
	finish("5/-1 - x1 snapshot=amd64,6:3,7:7f0000001010,16:7f0000001000+40\n"
	       "5/-1 - x1 snapshot=amd64,6:3,7:7f0000001010,16:7f0000001000+0\n"
	       "5/-1 - x1 snapshot=amd64,6:3,7:7f0000001010,16:7f0000001000+64\n"
	       "5/-1 - x1\n");
	ck_assert(log_has(&messages, "an event of 20 bytes is shorter"));
}
END_TEST

START_TEST(snapshots_of_aarch64)
{
	struct snapshot_event event = {U, U + 16, 3, 5, 6, {}};

	/* In a struct, without a length, beside a kernel stack. */
	snapshot("struct { u64 pc, sp, lr; } regs; u32 pid, x19; u8 ustack[8]; u64 kstack[]",
		&event, sizeof(event));
	finish("5/-1 - x1 snapshot=aarch64,19:6,30:3,31:7f0000001010,32:7f0000001000+8\n");
	/* The frame pointer by the name that only this machine uses. */
	teardown();
	setup();
	snapshot("u64 pc, sp, x29; u32 pid; s32 len; u8 stack[]", &event, sizeof(event));
	finish("5/-1 - x1 snapshot=aarch64,29:3,31:7f0000001010,32:7f0000001000+6\n");
}
END_TEST

/* Registers without a copy of the stack, or a copy without registers, are no snapshot. */
/* The options are refused before anything is read. */
static void start_failing(const char *part)
{
	struct error *err = collector_create(&options, &messages, NULL, &collector);

	ck_assert_ptr_nonnull(err);
	ck_assert_int_eq(error_kind(err), ERROR_USAGE);
	ck_assert_msg(strstr(error_message(err), part), "%s", error_message(err));
	error_destroy(err);
}

START_TEST(half_a_snapshot)
{
	struct snapshot_event event = {U, U + 16, U, 5, 6, {}};

	snapshot("u64 ip, sp; u64 ustack[1]", &event, sizeof(event));
	finish("-1/-1 - x1 u=7f0000001000…\n");
	teardown();
	setup();
	options.event_layout = "u64 ip; u64 lr; u32 r8; u64 sp; u8 stack[]";
	start_failing("registers of x86-64 and of AArch64");
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

/*
 * Build IDs identify their files, so the input is accepted even if the number of the process is
 * unknown.
 */
START_TEST(build_ids_need_no_process)
{
	struct id_record slots[2] = {{1, {0xab, 0xcd}, 0x1000}};
	const uint32_t ids[] = {700, 40123, 90000, 123456};
	const uint64_t count = 3;

	start();
	collector_map_begin(collector, "ids", INPUT_ANY);
	for (size_t i = 0; i < 4; i++)
		entry(&ids[i], 4, slots, sizeof(slots), -1);
	collector_map_end(collector, false);
	collector_map_begin(collector, "counts", INPUT_ANY);
	for (uint32_t i = 0; i < 4; i++) {
		const uint32_t key[] = {42000 + i, ids[i]};

		entry(key, sizeof(key), &count, sizeof(count), -1);
	}
	collector_map_end(collector, false);
	finish("-1/-1 - x3 u=abcd+1000\n-1/-1 - x3 u=abcd+1000\n-1/-1 - x3 u=abcd+1000\n"
	       "-1/-1 - x3 u=abcd+1000\n");
}
END_TEST

START_TEST(wrong_options_are_told)
{
	options.key_fields = "pid=tgid,nonsense=1";
	start_failing("--key, column 10: unknown role");
	options.key_fields = "pid=tgid,user";
	start_failing("--key, column 10: expected ROLE=FIELD");
	options.key_fields = "pid=tgid,pid=tid";
	start_failing("--key, column 10: the role is given twice");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("collector");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, stacks_alone);
	tcase_add_test(tcase, lookups_are_one_map);
	tcase_add_test(tcase, lookups_of_two_maps);
	tcase_add_test(tcase, known_layout_before_stacks);
	tcase_add_test(tcase, given_layouts);
	tcase_add_test(tcase, keys_with_stacks);
	tcase_add_test(tcase, keys_that_do_not_come_again);
	tcase_add_test(tcase, keys_with_stacks_on_cpus);
	tcase_add_test(tcase, layout_of_wrong_size);
	tcase_add_test(tcase, unknown_layout);
	tcase_add_test(tcase, counts_without_stacks);
	tcase_add_test(tcase, plain_key_is_the_id);
	tcase_add_test(tcase, u32_counters_are_counts);
	tcase_add_test(tcase, scratch_is_no_allocation);
	tcase_add_test(tcase, allocations);
	tcase_add_test(tcase, packed_sums_are_refused);
	tcase_add_test(tcase, packed_sums_that_are_large);
	tcase_add_test(tcase, packed_sums_as_chosen);
	tcase_add_test(tcase, two_numbers_in_one_value);
	tcase_add_test(tcase, large_numbers);
	tcase_add_test(tcase, events_with_inline_stacks);
	tcase_add_test(tcase, events_with_snapshots);
	tcase_add_test(tcase, snapshots_of_aarch64);
	tcase_add_test(tcase, half_a_snapshot);
	tcase_add_test(tcase, events_without_layout);
	tcase_add_test(tcase, build_id_stacks);
	tcase_add_test(tcase, build_ids_need_no_process);
	tcase_add_test(tcase, wrong_options_are_told);
	return tests_run(tcase);
}
