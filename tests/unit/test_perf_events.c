// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/follow/perf_events.h"

#include <check.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/follow/follower.h"
#include "process/recording/tasks.h"
#include "run.h"

enum { CHILDREN = 500, BUFFER = 4096 /* bytes: a few children fill it */ };

struct heard {
	int forks, exits;
	uint64_t all, lost, last; /* last: time of the event before, ns */
};

static void hear(void *context, const struct task_event *event)
{
	struct heard *heard = context;

	ck_assert_uint_ge(event->time, heard->last);
	heard->last = event->time;
	heard->forks += event->kind == TASK_FORK;
	heard->exits += event->kind == TASK_EXIT;
	heard->all += event->kind != TASK_LOST;
	heard->lost += event->kind == TASK_LOST ? event->count : 0;
}

static void start_children(struct s2l_perf_events *events, bool take)
{
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
		if (take)
			perf_events_take(events);
	}
}

/* Events of this process with a small buffer; NULL if they are not allowed. */
static struct s2l_perf_events *open_own(void)
{
	const uint32_t own = (uint32_t)getpid();
	struct s2l_perf_events *events = NULL;
	struct error *error = perf_events_open(&own, 1, BUFFER, &events);

	error_destroy(error);
	return events;
}

/* A caller that is busy for long loses nothing if it empties the buffer in between. */
START_TEST(nothing_is_lost_meanwhile)
{
	struct s2l_perf_events *events = open_own();
	struct heard heard = {};

	if (!events)
		return;
	start_children(events, true);
	perf_events_read(events, hear, &heard);
	ck_assert_int_eq(heard.forks, CHILDREN);
	ck_assert_int_eq(heard.exits, CHILDREN);
	ck_assert_uint_eq(heard.lost, 0);
	uint64_t before = heard.all;
	perf_events_read(events, hear, &heard); /* the space of the burst was freed */
	ck_assert_uint_eq(heard.all, before);
	perf_events_close(events);
}
END_TEST

START_TEST(losses_are_counted)
{
	struct s2l_perf_events *events = open_own();
	struct heard heard = {};

	if (!events)
		return;
	start_children(events, false);
	perf_events_read(events, hear, &heard);
	ck_assert_int_lt(heard.forks, CHILDREN);
	ck_assert_uint_gt(heard.lost, 0);
	/* The kernel's record of the loss comes with the first child. Linux before 6.0 has no other word of it. */
	struct heard later = {.last = heard.last};
	start_children(events, true);
	perf_events_read(events, hear, &later);
	ck_assert_int_eq(later.forks, CHILDREN);
	ck_assert_uint_eq(heard.all + heard.lost + later.lost, later.all);
	perf_events_close(events);
}
END_TEST

/* Maps N new files, each in memory of its own. Returns true if FOLLOWER then has forgotten all. */
static bool forgets_after(struct follower *follower, int n)
{
	for (int i = 0; i < n; i++) {
		int fd = memfd_create("file", MFD_CLOEXEC);

		ck_assert_int_eq(ftruncate(fd, 4096), 0);
		ck_assert_ptr_ne(
			mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0), MAP_FAILED);
		close(fd);
		if (i % 256 == 0)
			perf_events_take(follower->events);
	}
	follower_update(follower);
	bool forgotten = follower->lost_some;
	follower->changed.len = 0;
	follower->lost_some = false;
	return forgotten;
}

/* A stream remembers 32,768 mapped files. Other programs' files may be among them. */
START_TEST(a_follower_forgets_too_many_files)
{
	struct follower *follower = follower_open();
	const struct recorded_row *events;

	if (!follower)
		return;
	uint64_t begin = follower->heard;
	ck_assert(!forgets_after(follower, 30000));
	ck_assert(!follower_misses(follower, begin + 1));
	ck_assert(forgets_after(follower, 2769));
	ck_assert_uint_eq(follower->recording->files.len, 0);
	/* What was before is unknown, and what comes is known. */
	ck_assert(follower_misses(follower, begin + 1));
	uint64_t heard = follower->heard;
	ck_assert(!forgets_after(follower, 1));
	ck_assert(!follower_misses(follower, heard + 1));
	ck_assert_uint_eq(recording_rows(follower->recording, getpid(), ROW_EXIT, &events), 1);
	ck_assert(follower_moved(follower, getpid(), heard, UINT64_MAX, events->start));
	follower_close(follower);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("perf_events");

	tcase_add_test(tests, nothing_is_lost_meanwhile);
	tcase_add_test(tests, losses_are_counted);
	tcase_add_test(tests, a_follower_forgets_too_many_files);
	return tests_run(tests);
}
