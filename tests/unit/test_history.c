// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rule of what was where and when: random histories, asked at each address and time, against
 * what follows from their definition span by span.
 */
#include <check.h>
#include <stdint.h>

#include "run.h"
#include "util/history.h"

enum { ADDRESSES = 24, TIMES = 40, SPANS = 24, HISTORIES = 40 };

static uint64_t state = 1;

static uint64_t below(uint64_t n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % n;
}

static bool covers(const struct history_span *span, uint64_t address)
{
	return span->start <= address && address < span->end;
}

/* Returns true if B came after A at all possible times. */
static bool is_after(const struct history_span *b, const struct history_span *a)
{
	if (a->since == b->since && a->begin == b->begin)
		return b > a;
	return b->since >= a->begin;
}

/* Returns true if SPAN may have been at ADDRESS at TIME. */
static bool is_possible(const struct history_span *spans, size_t n, const struct history_span *span,
	uint64_t address, uint64_t time)
{
	if (!covers(span, address) || (time && span->since > time))
		return false;
	for (size_t i = 0; i < n && time; i++)
		if (covers(&spans[i], address) && spans[i].begin <= time &&
			is_after(&spans[i], span))
			return false;
	return true;
}

static void check_at(const struct history *history, const struct history_span *spans, size_t n,
	uint64_t address, uint64_t time)
{
	size_t n_possible = 0;
	bool ambiguous, differ = false, among = false;
	uint64_t what = 0;
	const struct history_span *found = history_at(history, address, time, &ambiguous);

	for (size_t i = 0; i < n; i++) {
		if (!is_possible(spans, n, &spans[i], address, time))
			continue;
		differ |= n_possible++ && what != spans[i].what;
		what = spans[i].what;
		among |= found && found->what == what;
	}
	ck_assert_int_eq(found != NULL, n_possible > 0);
	ck_assert(!found || among);
	ck_assert_msg(ambiguous == differ, "address %d, time %d: ambiguous %d, %zu possible",
		(int)address, (int)time, ambiguous, n_possible);
}

/* With LOOK, spans begin at an unknown time since the previous look; otherwise at an exact time. */
static void make_spans(struct history_span *spans, size_t n, uint64_t look, uint32_t kinds)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t start = below(ADDRESSES), time = 1 + below(TIMES);

		spans[i] = (struct history_span){.start = start,
			.end = start + 1 + below(ADDRESSES - start),
			.since = look ? (time - 1) / look * look : time,
			.begin = look ? (time - 1) / look * look + look : time,
			.what = below(kinds)};
	}
}

START_TEST(test_random)
{
	static const uint64_t looks[] = {0, 3, 7};
	struct history_span spans[SPANS];

	for (int round = 0; round < HISTORIES; round++) {
		struct history history = {};
		size_t n = below(SPANS + 1), pieces = 1 + below(8);

		make_spans(spans, n, looks[_i], 1 + (uint32_t)below(4));
		for (size_t i = 0; i < n; i++) {
			history_add(&history, spans[i]);
			if (!below(pieces))
				history_finish(&history);
		}
		history_finish(&history);
		for (uint64_t address = 0; address <= ADDRESSES; address++)
			for (uint64_t time = 0; time < TIMES + 8; time++)
				check_at(&history, spans, n, address, time);
		history_deinit(&history);
	}
}
END_TEST

START_TEST(test_gone)
{
	struct history history = {};
	bool ambiguous;

	history_add(&history,
		(struct history_span){
			.start = 10, .end = 20, .begin = 5, .since = 5, .gone = 8, .what = 1});
	history_add(&history,
		(struct history_span){.start = 15, .end = 30, .begin = 9, .since = 9, .what = 2});
	history_finish(&history);
	ck_assert_ptr_null(history_at(&history, 12, 4, &ambiguous));
	ck_assert_uint_eq(history_at(&history, 12, 8, &ambiguous)->what, 1);
	ck_assert_ptr_null(history_at(&history, 12, 9, &ambiguous));
	ck_assert_uint_eq(history_at(&history, 15, 9, &ambiguous)->what, 2);
	ck_assert_ptr_null(history_at(&history, 29, 8, &ambiguous));
	ck_assert_uint_eq(history_at(&history, 12, 0, &ambiguous)->what, 1);
	ck_assert(!ambiguous);
	ck_assert_uint_eq(history_at(&history, 19, 0, &ambiguous)->what, 2);
	ck_assert(ambiguous);
	history_deinit(&history);
}
END_TEST

START_TEST(test_empty)
{
	struct history history = {};
	bool ambiguous;

	history_finish(&history);
	ck_assert_ptr_null(history_at(&history, 3, 0, &ambiguous));
	history_add(&history, (struct history_span){.start = 3, .end = 3});
	history_finish(&history);
	ck_assert_ptr_null(history_at(&history, 3, 0, &ambiguous));
	ck_assert(!ambiguous);
	history_deinit(&history);
}
END_TEST

/* Looking up an address that has changed as often as can be recorded is as fast as any look-up. */
START_TEST(test_crowded)
{
	struct history history = {};
	bool ambiguous;
	const uint32_t n = 1 << 17;

	for (uint32_t i = 0; i < n; i++)
		history_add(&history, (struct history_span){.start = 64 * (i % 3),
					      .end = 64 * (i % 3) + 4096,
					      .since = i + 1,
					      .begin = i + 1,
					      .what = i});
	history_finish(&history);
	for (uint32_t i = 2; i < n; i++) {
		ck_assert_uint_eq(history_at(&history, 1000, i + 1, &ambiguous)->what, i);
		ck_assert(!ambiguous);
	}
	history_deinit(&history);
}
END_TEST

/* Spans that are added one by one do not cost as much as all together each time (27 s). */
START_TEST(test_one_by_one)
{
	struct history history = {};
	bool ambiguous;
	const uint32_t n = 1 << 15;

	for (uint32_t i = 0; i < n; i++) {
		history_add(&history, (struct history_span){.start = 64 * (i % 1024),
					      .end = 64 * (i % 1024) + 48,
					      .since = i + 1,
					      .begin = i + 1,
					      .what = i});
		history_finish(&history);
		ck_assert_uint_eq(history_at(&history, 0, 0, &ambiguous)->what, i / 1024 * 1024);
		ck_assert(ambiguous == (i >= 1024));
	}
	for (uint32_t i = 0; i < n; i++)
		ck_assert_uint_eq(
			history_at(&history, 64 * (i % 1024), i + 1, &ambiguous)->what, i);
	history_deinit(&history);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("history");

	tcase_add_loop_test(tests, test_random, 0, 3);
	tcase_add_test(tests, test_gone);
	tcase_add_test(tests, test_empty);
	tcase_add_test(tests, test_crowded);
	tcase_add_test(tests, test_one_by_one);
	return tests_run(tests);
}
