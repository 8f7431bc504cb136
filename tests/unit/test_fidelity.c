// SPDX-License-Identifier: GPL-2.0-or-later
/* The line that says how much was lost. */
#include <check.h>

#include "input/stacks/join.h"
#include "output/fidelity.h"
#include "output_fixture.h"
#include "run.h"
#include "util/cleanup.h"

static struct summary *summary;

static void setup(void)
{
	summary = summary_create();
}

static void teardown(void)
{
	summary_destroy(summary);
}

static void check_line(bool weighted, const char *expected)
{
	const struct fidelity_options options = {.weighted = weighted, .hint = true};
	scope_guard(text_deinit) struct text line = {};

	fidelity_add(&line, summary, &options);
	ck_assert_str_eq(line.data ? line.data : "", expected);
}

static void add_named(uint64_t weight, size_t frames)
{
	struct fixture f;

	fixture_init(&f, NULL, weight);
	for (size_t i = 0; i < frames; i++)
		fixture_user(&f, "f");
	summary_count(summary, &f.trace, false);
}

START_TEST(nothing)
{
	check_line(true, "");
	ck_assert(!fidelity_failed(summary));
	add_named(5, 3);
	check_line(true, "");
	ck_assert(!fidelity_failed(summary));
}
END_TEST

START_TEST(lost_by_weight)
{
	struct fixture f;

	add_named(979, 1);
	fixture_init(&f, NULL, 20);
	fixture_lost(&f, false, STACK_LOST_COLLISION);
	fixture_kernel(&f, "k");
	summary_count(summary, &f.trace, false);
	fixture_init(&f, NULL, 1);
	fixture_lost(&f, false, STACK_LOST_FULL);
	fixture_lost(&f, true, STACK_LOST_FULL);
	summary_count(summary, &f.trace, false);
	check_line(true,
		"weight 1000: 2.1 % lost a stack (hash collision: raise max_entries of the stack "
		"map, or set BPF_F_REUSE_STACKID); 1 more reason: --why");
	ck_assert(!fidelity_failed(summary));
}
END_TEST

START_TEST(unnamed_by_weight)
{
	static const struct frame_object libs[] = {{.path = "/lib/\x1b", .name = "x"},
		{.path = "/lib/b", .name = "b"}, {.path = "/lib/c", .name = "c"}};
	struct fixture f;

	/* of 10 * 10 + 100 * 4 frames, 300 */
	add_named(10, 10);
	fixture_init(&f, NULL, 100);
	f.sample.weight_name = "value.delta";
	fixture_kernel(&f, "k");
	for (size_t i = 0; i < 3; i++) {
		struct location *location = fixture_user(&f, NULL);

		location->object = &libs[i];
		location->status = i ? FRAME_NO_SYMBOLS : FRAME_FILE_DENIED;
	}
	summary_count(summary, &f.trace, false);
	check_line(true,
		"weight 110: 60 % of frames unnamed (stripped: no symbols and no debug info [/lib/b "
		"and 1 more]: install its debug package, or use --debug-dir); 1 more reason: --why");
	ck_assert(!fidelity_failed(summary));
}
END_TEST

START_TEST(one_side)
{
	struct fixture f;

	fixture_init(&f, NULL, 1);
	fixture_user(&f, NULL)->status = FRAME_ANONYMOUS;
	for (size_t i = 0; i < 9; i++)
		fixture_kernel(&f, "k");
	summary_count(summary, &f.trace, false);
	check_line(false,
		"1 sample: 10 % of frames, all user frames, unnamed (anonymous memory: JIT code, or "
		"not code)");
}
END_TEST

START_TEST(no_stack)
{
	struct fixture f;

	add_named(2999, 1);
	fixture_init(&f, NULL, 1);
	summary_count(summary, &f.trace, false);
	check_line(false,
		"3000 samples: under 0.1 % lost a stack (neither a user nor a kernel stack)");
	ck_assert_uint_eq(summary->unresolved, 0);
}
END_TEST

START_TEST(cut)
{
	struct fixture f;

	add_named(88, 1);
	fixture_init(&f, NULL, 12);
	fixture_user(&f, "f");
	f.sample.user.truncated = true;
	summary_count(summary, &f.trace, false);
	check_line(true,
		"weight 100: 12 % in stacks cut at 1 frame (raise the depth: 127 frames are 1016 "
		"bytes)");
	f.sample.user.depth = 127;
	summary_count(summary, &f.trace, false);
	check_line(true,
		"weight 112: 21 % in stacks cut at 127 frames (raise kernel.perf_event_max_stack, "
		"and then the depth)");
}
END_TEST

START_TEST(nearly_all)
{
	struct fixture f;

	add_named(1, 1);
	fixture_init(&f, NULL, 100000);
	f.sample.weight_name = "samples";
	fixture_user(&f, NULL)->status = FRAME_PROCESS_NO_MAPPINGS;
	summary_count(summary, &f.trace, false);
	check_line(true,
		"weight 100001: over 99 % of frames unnamed (a kernel thread or zombie has no "
		"mappings)");
	summary_begin_round(summary);
	summary_count(summary, &f.trace, false);
	check_line(true,
		"100000 samples: 100 % of frames unnamed (a kernel thread or zombie has no "
		"mappings)");
	ck_assert(fidelity_failed(summary));
	fixture_init(&f, NULL, UINT64_MAX);
	fixture_user(&f, "f");
	summary_count(summary, &f.trace, false); /* the sum does not wrap */
	check_line(true,
		"weight 18446744073709551615: under 0.1 % of frames unnamed (a kernel thread or "
		"zombie has no mappings)");
}
END_TEST

START_TEST(rounds)
{
	struct fixture f;

	fixture_init(&f, NULL, 7);
	f.sample.weight_name = "key.\x1b";
	fixture_lost(&f, true, STACK_LOST_ID);
	f.locations[0].fix = "do this";
	summary_count(summary, &f.trace, false);
	check_line(
		true, "weight 7 (\\x1b): 100 % lost a stack (stack ID not in the dump: do this)");
	ck_assert(fidelity_failed(summary));
	summary_begin_round(summary);
	check_line(true, "");
	add_named(1, 1);
	check_line(true, "");
	ck_assert_uint_eq(summary->unresolved, 1); /* of all rounds */
}
END_TEST

/* Frames that are named elsewhere do not count as unnamed. */
START_TEST(stacks_only)
{
	struct fixture f;

	fixture_init(&f, NULL, 1);
	fixture_user(&f, NULL);
	summary_count(summary, &f.trace, true);
	check_line(false, "");
	ck_assert(!fidelity_failed(summary));
	fixture_init(&f, NULL, 1);
	fixture_lost(&f, false, STACK_LOST_FULL);
	summary_count(summary, &f.trace, true);
	check_line(false,
		"2 samples: 50 % lost a stack (stack map full: raise max_entries of the stack map, "
		"or clear it)");
}
END_TEST

START_TEST(advice_for_missing_ids)
{
	struct stack_votes some = {.ids = 5, .found = 4}, none = {.ids = 5};

	ck_assert_ptr_nonnull(
		strstr(missing_fix(&none, MISSING_STACKS_FIRST), "pass the stack map that"));
	ck_assert_ptr_nonnull(strstr(
		missing_fix(&some, MISSING_STACKS_FIRST), "dump the counts before the stacks"));
	ck_assert_ptr_nonnull(
		strstr(missing_fix(&some, MISSING_COUNTS_FIRST), "let no program delete stacks"));
	ck_assert_ptr_nonnull(strstr(missing_fix(&some, MISSING_ORDER_UNKNOWN),
		"counts first and every stack map right after"));
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("fidelity");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, nothing);
	tcase_add_test(tcase, lost_by_weight);
	tcase_add_test(tcase, unnamed_by_weight);
	tcase_add_test(tcase, one_side);
	tcase_add_test(tcase, no_stack);
	tcase_add_test(tcase, cut);
	tcase_add_test(tcase, nearly_all);
	tcase_add_test(tcase, rounds);
	tcase_add_test(tcase, stacks_only);
	tcase_add_test(tcase, advice_for_missing_ids);
	return tests_run(tcase);
}
