// SPDX-License-Identifier: GPL-2.0-or-later
/* The collector with kinds of maps that are no hash of counts. */
#include <check.h>
#include <string.h>

#include "collector_fixture.h"
#include "run.h"

/* What is pushed to a queue beside two stack maps. */
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

/* --key-layout is for another map then. */
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
	ck_assert(log_has(&messages, "--value-layout describes 24 bytes, but each value in counts has 8"));
}
END_TEST

START_TEST(queue_without_layout)
{
	start();
	one_stack_map();
	collector_map_begin(collector, "queue", INPUT_ANY);
	pushed(10, 3, 1, 2);
	collector_map_end(collector, false);
	error_destroy(collector_end(collector, &stats));
	ck_assert(log_has(&messages, "queue: entries of 24 bytes without key"));
	ck_assert(log_has(&messages, "--value-layout"));
}
END_TEST

/* Stacks that stand in the entries need no stack map. */
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

int main(void)
{
	TCase *tcase = tcase_create("map_kinds");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, queue);
	tcase_add_test(tcase, queue_beside_counts);
	tcase_add_test(tcase, queue_without_layout);
	tcase_add_test(tcase, queue_of_stacks);
	return tests_run(tcase);
}
