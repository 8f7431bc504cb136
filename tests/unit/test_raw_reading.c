// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Maps without BTF: a matrix of key layouts, each of which must be read right, or refused with the
 * readings there are. No wrong process, no wrong sum.
 */
#include <check.h>

#include "collector_fixture.h"
#include "raw_map.h"
#include "run.h"

/* Layouts of well-known programs are read, with the process. */
START_TEST(well_known)
{
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL, COMM), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID, KERNEL, USER, COMM), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(TID, TGID, USER, KERNEL), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID_TGID, USER, KERNEL), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID_TGID, TIME, USER, PAD), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID, PAD, TIME, USER, KERNEL, COMM), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(USER, KERNEL, COMM, PID), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_USTACK), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_KSTACK, BPFTRACE_USTACK, COMM), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(STR64, BPFTRACE_PID, BPFTRACE_USTACK), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_KSTACK), 0, 4), 1);
	ck_assert_int_eq(read_layout(LAYOUT(KERNEL, COMM), 0, 4), 1);
}
END_TEST

/* A thread and a name are read at any position in the key. */
START_TEST(threads_and_names)
{
	struct outcome outcome;

	ck_assert_int_eq(read_keys(LAYOUT(COMM, PID, USER, KERNEL), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_comm, 0);
	ck_assert_uint_eq(outcome.with_tid, 0);
	ck_assert_int_eq(read_keys(LAYOUT(PID, USER, KERNEL, COMM), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(KERNEL, COMM), 0, 4, NULL, &outcome), 1);
	ck_assert_uint_gt(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(TID, TGID, USER), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_tid, 0);
	ck_assert_uint_eq(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(USER, PID_TGID), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_tid, 0);
	/* Of two texts neither is known to be the name. */
	ck_assert_int_eq(read_keys(LAYOUT(COMM, PID, USER, COMM), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_eq(outcome.with_comm, 0);
}
END_TEST

/*
 * A text that is no process's name is no evidence about processes, and is not offered as the comm.
 */
START_TEST(tags_are_no_names)
{
	struct outcome outcome;

	machine.fixed = true;
	ck_assert_int_eq(read_keys(LAYOUT(TAG, PID, KERNEL, USER), 0, 4,
				 "='char unused0[16]; u32 pid; s32 kernel; s32 user'", &outcome),
		0);
	ck_assert_int_eq(read_layout(LAYOUT(COMM, PID, KERNEL, USER), 0, 4), 2);
	machine.fixed = false;
	ck_assert_int_eq(
		read_keys(LAYOUT(OTHER_USER, TAG, USER, KERNEL, TIME), 0, 4,
			"='u32 unused0; char unused1[16]; s32 user; s32 kernel; u32 unused7; "
			"u32 unused8; u32 unused9' (user stacks have no names",
			&outcome),
		0);
}
END_TEST

/* A column that has only errors is the side that no other column has. */
START_TEST(one_side_always_failed)
{
	struct outcome outcome;

	ck_assert_int_eq(read_keys(LAYOUT(PID, USER, FAILED), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.failed_kernel, 0);
	ck_assert_int_eq(read_keys(LAYOUT(FAILED, KERNEL, COMM), 0, 4, NULL, &outcome), 1);
	ck_assert_uint_gt(outcome.failed_user, 0);
	/* Both sides have columns, or two columns could be the missing one. */
	ck_assert_int_eq(read_keys(LAYOUT(PID, USER, FAILED, FAILED), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_eq(outcome.failed_kernel, 0);
}
END_TEST

/* A container's first process has ID 1 in its namespace. */
START_TEST(init_is_a_process)
{
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL), INIT, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(USER, PID_TGID), INIT, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL), 5, 2), 2);
}
END_TEST

/* Without a way to look up processes no number is proven to be one; it may be. */
START_TEST(no_processes_are_known)
{
	machine.unknown = true;
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL), 0, 4), 0);
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL), INIT, 1), 0);
	ck_assert_int_eq(read_layout(LAYOUT(PAD, USER, KERNEL), 0, 4), 1);
	machine.unknown = false;
}
END_TEST

/* The number beside bpftrace's stack ID is never taken for the process. */
START_TEST(bpftrace_says_who_ran)
{
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_CPU, BPFTRACE_USTACK), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_PPID, BPFTRACE_USTACK), 0, 4), 2);
	/* The number beside a stack ID that is never an error may be anything. */
	ck_assert_int_eq(read_layout(LAYOUT(COMM, OTHER_USER, UID), 0, 4), 0);
	/* Only the child that has its parent's code. */
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_PPID, BPFTRACE_USTACK), 5, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_USTACK, BPFTRACE_PPID), 5, 1), 2);
}
END_TEST

/* The ID of a thread that has exited is no process, whatever is beside it. */
START_TEST(ended_threads)
{
	ck_assert_int_eq(read_layout(LAYOUT(TID, USER, KERNEL), 3, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(TID, TGID, USER, KERNEL), 3, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(TGID, TID, USER, KERNEL), 3, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID_TGID, USER, KERNEL, COMM), 3, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(TID, PPID, USER, KERNEL), 3, 1), 2);
}
END_TEST

START_TEST(others_are_no_process)
{
	ck_assert_int_eq(read_layout(LAYOUT(CPU, USER, KERNEL), 0, 4), 1);
	ck_assert_int_eq(read_layout(LAYOUT(CPU, USER, KERNEL, COMM), 0, 4), 1);
	ck_assert_int_eq(read_layout(LAYOUT(PPID, USER, KERNEL, COMM), 0, 4), 1);
	/* The parent may have run, but so may its child. */
	ck_assert_int_eq(read_layout(LAYOUT(PPID, USER, KERNEL), 5, 1), 0);
	/* Parents explain all, also one that has the code of its child. */
	machine.shells = true;
	ck_assert_int_eq(read_layout(LAYOUT(PPID, USER, KERNEL), 0, 6), 1);
	ck_assert_int_eq(read_layout(LAYOUT(PID, PPID, USER, KERNEL), 0, 6), 2);
	/* As many fit as misfit: they may be processes, some of which now run another program. */
	ck_assert_int_eq(read_layout(LAYOUT(PPID, USER, KERNEL), 4, 2), 0);
	machine.shells = false;
	ck_assert_int_eq(read_layout(LAYOUT(UID, USER, KERNEL), 0, 4), 0);
	ck_assert_int_eq(read_layout(LAYOUT(UID, KERNEL), 0, 4), 1);
}
END_TEST

/*
 * Children that a process has had may have run instead, unless another number or process is better
 * evidence.
 */
START_TEST(children_that_have_ended)
{
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL), 2, 1), 0);
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL, COMM), 2, 1), 0);
	ck_assert_int_eq(read_layout(LAYOUT(USER, PID), 2, 1), 0);
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL), 2, 2), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL), 3, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID, TGID, USER, KERNEL), 2, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID_TGID, USER, KERNEL), 2, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID, PPID, USER, KERNEL), 2, 1), 0);
}
END_TEST

/* All keys of up to three of the parts beside a stack, in all orders. */
START_TEST(matrix)
{
	static const enum part stacks[][2] = {{USER, KERNEL}, {KERNEL, USER}, {USER, PARTS},
		{KERNEL, PARTS}, {BPFTRACE_USTACK, PARTS}, {BPFTRACE_KSTACK, BPFTRACE_USTACK},
		{BPFTRACE_USTACK, BPFTRACE_KSTACK}};
	unsigned int results[3] = {}, layouts = 0;

	for (size_t s = 0; s < sizeof(stacks) / sizeof(*stacks); s++) {
		for (unsigned int a = 0; a < PARTS; a++) {
			for (unsigned int b = 0; b <= PARTS; b++) {
				enum part parts[4] = {a};
				size_t n = 1;

				if (a == USER || a == KERNEL || a == BPFTRACE_USTACK ||
					a == BPFTRACE_KSTACK || b == USER || b == KERNEL ||
					b == BPFTRACE_USTACK || b == BPFTRACE_KSTACK)
					continue;
				parts[n++] = stacks[s][0];
				if (stacks[s][1] != PARTS)
					parts[n++] = stacks[s][1];
				if (b != PARTS)
					parts[n++] = b;
				layouts += 2;
				results[read_layout(parts, n, 0, 4)]++;
				results[read_layout(parts, n, 5, 1)]++;
			}
		}
	}
	ck_assert_uint_ge(layouts, 150);
	/* Most are read and the others refused; none is read wrongly. */
	ck_assert_uint_ge(results[1] + results[2], layouts * 6 / 10);
	printf("# %u layouts: %u refused, %u read without, %u with the process\n", layouts,
		results[0], results[1], results[2]);
}
END_TEST

/*
 * One process now runs another program, or its ID is used again: the others show what the numbers
 * are.
 */
START_TEST(one_process_misfits)
{
	struct outcome outcome;

	machine.changed = 4010;
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL, COMM), 0, 5), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID_TGID, KERNEL, USER), 0, 5), 2);
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_PID, COMM, BPFTRACE_USTACK), 0, 5), 2);
	ck_assert_int_eq(
		read_keys(LAYOUT(BPFTRACE_PPID, BPFTRACE_USTACK), 0, 5, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_tid, 0);
	/* Nothing else is known about any of them. */
	ck_assert_int_eq(read_layout(LAYOUT(PPID, USER, KERNEL), 1, 1), 1);
	machine.changed = 0;
}
END_TEST

/* The ID of an exited process is known to be that of a process or a thread. */
START_TEST(one_process_has_ended)
{
	struct outcome outcome;

	machine.ended = 4030;
	ck_assert_int_eq(read_keys(LAYOUT(PID, USER, KERNEL), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_eq(outcome.with_tid, 0);
	ck_assert_int_eq(read_keys(LAYOUT(PID_TGID, USER, KERNEL), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_tid, 0);
	/* The thread IDs of bpftrace show that the other column is their process. */
	ck_assert_int_eq(read_keys(LAYOUT(BPFTRACE_PID, BPFTRACE_USTACK), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_eq(outcome.with_pid, outcome.samples);
	machine.ended = 0;
}
END_TEST

/*
 * The stacks of the process are used, unless its ID may be that of the parent of the others'
 * process.
 */
START_TEST(two_stacks_of_one_side)
{
	struct outcome outcome;

	ck_assert_int_eq(read_layout(LAYOUT(PID, OTHER_USER, USER, KERNEL), 0, 4), 2);
	ck_assert_int_eq(read_keys(LAYOUT(TGID, TID, OTHER_USER, USER), 2, 1,
				 "u32 unused2; s32 user'", &outcome),
		0);
	ck_assert_int_eq(read_keys(LAYOUT(USER, OTHER_USER), 0, 4,
				 "--key-layout='s32 user; u32 unused1'", &outcome),
		0);
	ck_assert_int_eq(read_keys(LAYOUT(USER, OTHER_USER), 0, 4,
				 "--key-layout='u32 unused0; s32 user'", &outcome),
		0);
}
END_TEST

/*
 * A text that is no process's name is not used, and does not keep a number from being the process.
 */
START_TEST(texts_that_are_no_names)
{
	struct outcome outcome;

	ck_assert_int_eq(read_keys(LAYOUT(TAG, PID, USER, KERNEL), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_eq(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(TAG, KERNEL), 0, 4, NULL, &outcome), 1);
	ck_assert_uint_eq(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(TAG, PID, USER, COMM), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(COMM, TAG, KERNEL, USER, PID), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_comm, 0);
	/* Where no process is known, a text in more bytes than a comm has is none. */
	machine.unknown = true;
	ck_assert_int_eq(read_keys(LAYOUT(COMM, KERNEL), 0, 4, NULL, &outcome), 1);
	ck_assert_uint_gt(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(LONG_TAG, KERNEL), 0, 4, NULL, &outcome), 1);
	ck_assert_uint_eq(outcome.with_comm, 0);
	machine.unknown = false;
}
END_TEST

/*
 * A packed struct is read where a process shows that it had the stacks; otherwise only the stack IDs
 * can be found, and where they are is said.
 */
START_TEST(packed_keys)
{
	struct outcome outcome;

	ck_assert_int_eq(read_keys(LAYOUT(FLAG, PACKED_USER, PID, COMM), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(PID, FLAG, PACKED_USER), 0, 4, NULL, &outcome), 2);
	ck_assert_int_eq(read_keys(LAYOUT(FLAG, PACKED_USER), 0, 4,
				 "--key-layout='s32 user@1; u8 rest[]'", &outcome),
		0);
	ck_assert_int_eq(read_keys(LAYOUT(KERNEL, FLAG, PACKED_USER), 0, 4,
				 "--key-layout='s32 kernel@0; s32 user@5; u8 rest[]'", &outcome),
		0);
}
END_TEST

/* A constant that is the ID of a user stack, which is of the only process of the map. */
START_TEST(constant_is_a_stack_by_chance)
{
	ck_assert_int_eq(read_layout(LAYOUT(TGID, PRIORITY, KERNEL), 0, 1), 0);
	ck_assert_int_eq(read_layout(LAYOUT(TGID, PRIORITY, USER), 0, 1), 2);
}
END_TEST

/* What cannot be told: two columns of the same side, a stack map so full that all numbers are in
 * it. */
START_TEST(refused)
{
	struct outcome outcome;

	ck_assert_int_eq(read_layout(LAYOUT(USER, USER, KERNEL), 0, 5), 0);
	/* The advice has everything else that is known. */
	ck_assert_int_eq(read_keys(LAYOUT(TID, TGID, USER, USER, KERNEL), 0, 4,
				 "u32 tid; u32 pid; s32", &outcome),
		0);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("raw_reading");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, well_known);
	tcase_add_test(tcase, threads_and_names);
	tcase_add_test(tcase, one_side_always_failed);
	tcase_add_test(tcase, init_is_a_process);
	tcase_add_test(tcase, no_processes_are_known);
	tcase_add_test(tcase, bpftrace_says_who_ran);
	tcase_add_test(tcase, ended_threads);
	tcase_add_test(tcase, others_are_no_process);
	tcase_add_test(tcase, children_that_have_ended);
	tcase_add_test(tcase, matrix);
	tcase_add_test(tcase, one_process_misfits);
	tcase_add_test(tcase, one_process_has_ended);
	tcase_add_test(tcase, two_stacks_of_one_side);
	tcase_add_test(tcase, texts_that_are_no_names);
	tcase_add_test(tcase, tags_are_no_names);
	tcase_add_test(tcase, packed_keys);
	tcase_add_test(tcase, constant_is_a_stack_by_chance);
	tcase_add_test(tcase, refused);
	return tests_run(tcase);
}
