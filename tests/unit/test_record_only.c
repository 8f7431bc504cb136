// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows in a recording of some processes for IDs that other processes had, too. */
#include <check.h>
#include <unistd.h>

#include "record/only.h"
#include "run.h"

/* Returns how many rows are written when a thread of PROCESS gets ID at TIME. */
static uint32_t rows_of_thread(
	struct record_state *state, uint32_t process, uint32_t id, uint64_t time)
{
	const struct task_event event = {
		.kind = TASK_THREAD, .time = time, .pid = process, .tid = id, .parent = process};
	uint32_t before = state->recorder.records;

	(void)record_only_takes(state, &event);
	return state->recorder.records - before;
}

START_TEST(others_are_said_once)
{
	const uint32_t own = (uint32_t)getpid(), other = own + 1, id = 1 << 21;
	const struct record_options options = {.proc_root = "/proc",
		.sys_root = "/sys",
		.all = true,
		.only_trees = &own,
		.n_only_trees = 1,
		.stop = &(const volatile sig_atomic_t){0}};
	struct record_state state = {.options = &options, .recorder.fd = -1};

	ck_assert_ptr_null(record_only_begin(&state));
	record_only_find(&state);
	/*
	 * another process's before and after ours: a row is written when it becomes ours, and no
	 * longer is
	 */
	ck_assert_uint_eq(rows_of_thread(&state, other, id, 1), 0);
	ck_assert_uint_eq(rows_of_thread(&state, own, id, 2), 1);
	ck_assert_uint_eq(rows_of_thread(&state, other, id, 3), 1);
	ck_assert_uint_eq(rows_of_thread(&state, other, id, 4), 0);
	ck_assert_uint_eq(rows_of_thread(&state, own, id, 5), 0);
	/* ours first */
	ck_assert_uint_eq(rows_of_thread(&state, own, id + 1, 6), 0);
	ck_assert_uint_eq(rows_of_thread(&state, other, id + 1, 7), 1);
	ck_assert_uint_eq(rows_of_thread(&state, own, id + 1, 8), 0);
	ck_assert_uint_eq(rows_of_thread(&state, other, id + 1, 9), 1);
	record_only_deinit(&state);
	recorder_deinit(&state.recorder);
}
END_TEST

int main(void)
{
	TCase *test = tcase_create("recordings of some processes");

	tcase_add_test(test, others_are_said_once);
	return tests_run(test);
}
