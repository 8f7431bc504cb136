// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/ids.h"

#include "process/recording/tasks.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/table.h"

/* The tasks that had an ID. */
struct recorded_id {
	bool read;
	struct VEC(struct recorded_task) tasks; /* ascending times */
	struct history history;			/* at address 0; `item`: index of a task */
};

uint64_t recorded_last_time(const struct recording *recording, uint64_t time)
{
	return recording && time > recording->end ? recording->end : time;
}

/* Returns the start time in EVENT, in clock ticks since boot, or 0. */
static uint64_t started_of(const struct recorded_row *event)
{
	return event->kind == ROW_PROC ? event->found.started : 0;
}

/*
 * Returns the time of a fork event if the process started during the recording. Otherwise /proc had
 * its start time, in boot time: unlike CLOCK_MONOTONIC, it includes suspend.
 */
uint64_t recorded_start(const struct recording *recording, const struct recorded_row *event)
{
	if (event->kind == ROW_FORK)
		return event->time;
	const uint64_t started = started_of(event);
	if (!started || !recording->boottime || started > UINT64_MAX / CLOCK_TICK)
		return 0;
	uint64_t ns = started * CLOCK_TICK;
	return ns > recording->slept ? ns - recording->slept : 0;
}

/* Returns true if /proc was read for the process of THREAD at THREAD's time. */
static bool was_looked_at(struct recording *recording, const struct recorded_row *thread)
{
	const struct recorded_row *events;
	size_t n = recording_rows(recording, (int64_t)thread->other, ROW_EXIT, &events);
	size_t at = sorted_count(events, n, .time < thread->time);

	while (at < n && events[at].time == thread->time && events[at].kind != ROW_PROC)
		at++;
	return at < n && events[at].time == thread->time;
}

/*
 * Returns true if EVENT belongs to the LAST task. STARTED: that task's start time in clock ticks,
 * from /proc; 0 if unknown.
 */
static bool continues(
	const struct recorded_task *last, uint64_t started, const struct recorded_row *event)
{
	bool thread = event->kind == ROW_THREAD;

	if (event->kind == ROW_FORK)
		return false;
	if (thread || last->process != event->pid)
		return thread && last->process == event->other;
	return !started || !started_of(event) || started == started_of(event);
}

/*
 * Sets SINCE and BEGIN of SPAN, between which the task with the first event EVENT got the ID.
 * BEFORE: the previous event of the ID, NULL if none. If neither a fork nor the start time is
 * known, the task may have had the ID since BEFORE, or always.
 */
static void time_of(struct recording *recording, const struct recorded_row *event,
	const struct recorded_row *before, struct history_span *span)
{
	uint64_t start = recorded_start(recording, event);
	bool found = event->kind == ROW_PROC ||
		     (event->kind == ROW_THREAD && was_looked_at(recording, event));

	span->begin = event->time;
	if (event->kind == ROW_FORK || (event->kind == ROW_THREAD && !found))
		span->since = event->time;
	else if (!before)
		span->since = span->begin = 0;
	else if (start > before->time && start < event->time)
		span->since = start - CLOCK_TICK, span->begin = start + CLOCK_TICK;
	else
		span->since = before->time;
}

static void read_tasks(struct recording *recording, int64_t id, struct recorded_id *ret)
{
	scope_guard(table_deinit) struct table processes = {};
	const struct recorded_row *events;
	size_t n_events = recording_rows(recording, id, ROW_EXIT, &events);
	uint64_t started = 0;

	ret->read = true;
	for (size_t i = 0; i < n_events; i++) {
		size_t n = ret->tasks.len;
		struct history_span span = {.end = 1, .what = UINT64_MAX - n};

		if (n && continues(&ret->tasks.data[n - 1], started, &events[i])) {
			ret->tasks.data[n - 1].end = i + 1;
			started = started_of(&events[i]) ?: started;
			continue;
		}
		started = started_of(&events[i]);
		time_of(recording, &events[i], n ? &events[i - 1] : NULL, &span);
		const struct recorded_task task = {
			.process = events[i].kind == ROW_THREAD ? (uint32_t)events[i].other
								: (uint32_t)id,
			.first = i,
			.end = i + 1,
			.begin = span.begin,
		};
		/* threads of one process count as the same */
		if (task.process != (uint32_t)id)
			span.what = table_number(&processes, &task.process, sizeof(task.process));
		if (n)
			ret->tasks.data[n - 1].until = span.begin;
		vec_push(&ret->tasks, task);
		history_add(&ret->history, span);
	}
	history_finish(&ret->history);
}

const struct recorded_task *recorded_task_at(
	struct recording *recording, int64_t number, uint64_t time, bool *ambiguous)
{
	struct recorded_id *id =
		vec_keyed(&recording->ids, &recording->id_by_number, &number, sizeof(number));

	*ambiguous = false;
	if (!id->read)
		read_tasks(recording, number, id);
	const struct history_span *span =
		history_at(&id->history, 0, recorded_time(recording, time), ambiguous);
	return span && !*ambiguous ? &id->tasks.data[span->item] : NULL;
}

void recorded_ids_forget(struct recording *recording)
{
	vec_each(id, &recording->ids) {
		vec_deinit(&id->tasks);
		history_deinit(&id->history);
	}
	vec_deinit(&recording->ids);
	table_deinit(&recording->id_by_number);
}
