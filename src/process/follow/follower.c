// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/follow/follower.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "process/follow/perf_events.h"
#include "process/procfs.h"
#include "process/recording/process_record.h"
#include "process/recording/tasks.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/sort.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { BUFFER = 1 << 20 /* in bytes, per CPU */ };
/* events per process: drop none below EVENTS_MIN, drop half above EVENTS_MAX */
enum { EVENTS_MIN = 1 << 8, EVENTS_MAX = 1 << 14 };
/* above these, drop everything; a file takes two places in FOLLOWED, and one more if rewritten */
enum { FOLLOWED_MAX = 1 << 16, NAMES_MAX = 1 << 16 };
#define FORGET_NS (4 * SECOND) /* how long to keep exited processes */

static void create_recording(struct follower *follower)
{
	follower->recording = xnew(follower->recording);
	follower->recording->name = xstrdup("");
	follower->recording->in_memory = follower->recording->boottime = true;
	follower->recording->slept = clock_slept();
	follower->recording->begin = follower->heard;
}

struct follower *follower_open(void)
{
	struct follower *follower = xnew(follower);
	auto_error struct error *error = perf_events_open(NULL, 0, BUFFER, &follower->events);

	if (error) {
		free(follower);
		return NULL;
	}
	follower->heard = follower->lost = clock_ns(CLOCK_MONOTONIC);
	follower->marks[0] = follower->marks[1] = follower->heard;
	create_recording(follower);
	return follower;
}

void follower_close(struct follower *follower)
{
	if (!follower)
		return;
	perf_events_close(follower->events);
	recording_destroy(follower->recording);
	table_deinit(&follower->files);
	vec_deinit(&follower->followed);
	table_deinit(&follower->names);
	vec_deinit(&follower->changed);
	vec_deinit(&follower->ended);
	free(follower);
}

/* ---- storing events ------------------------------------------------------------------------- */

static struct scan name_of(struct follower *follower, const char *name)
{
	bool added;
	uint64_t *string = table_at(&follower->names, name, strlen(name), &added);

	if (added)
		*string = (uintptr_t)arena_string(&follower->recording->strings, name);
	return scan_of((const char *)(uintptr_t)*string);
}

static void add_event(struct follower *follower, struct recorded_row event)
{
	struct recorded_tasks *tasks = recording_tasks(follower->recording, (int64_t)event.pid);

	event.order = tasks->rows.len ? vec_last(&tasks->rows)->order + 1 : 0;
	vec_push(&tasks->rows, event);
}

/* Adds a copy of FILE and returns its index. */
static uint32_t add_file(struct follower *follower, const struct recorded_file *file)
{
	struct recording *recording = follower->recording;
	struct recorded_file *copy = arena_alloc(&recording->strings, sizeof(*copy));

	*copy = *file;
	vec_push(&recording->files, copy);
	vec_push(&follower->followed, (struct followed_file){});
	return (uint32_t)recording->files.len - 1;
}

/*
 * Reads the status of the file of MAPPING of process PID, whose index is NUMBER, by its path, or
 * else by the kernel's link.
 */
static void look_at_file(
	struct follower *follower, uint32_t number, int64_t pid, const struct mapping *mapping)
{
	const uint64_t seen = clock_ns(CLOCK_MONOTONIC);
	struct recorded_file now = *follower->recording->files.data[number];
	struct stat st;

	bool found = !stat(mapping->path, &st) && st.st_ino == mapping->inode &&
		     major(st.st_dev) == mapping->dev_major &&
		     minor(st.st_dev) == mapping->dev_minor;
	if (!found) {
		auto_fd int dir = procfs_open_process("/proc", pid);

		found = dir >= 0 && !fstatat(dir, procfs_link_of(mapping).name, &st, 0) &&
			st.st_ino == mapping->inode;
	}
	if (!found)
		return;
	recorded_file_stamp(&now, &st);
	const int64_t ctime = now.ctime;
	now.ctime = 0; /* it also changes when a link to the file is removed */
	uint32_t known = follower->followed.data[number].known;
	const struct recorded_file *before = follower->recording->files.data[known];
	if (before->size != now.size || before->mtime != now.mtime)
		known = add_file(follower, &now);
	follower->followed.data[number] = (struct followed_file){ctime, seen, known};
}

static bool is_known(const struct followed_file *file, uint64_t time)
{
	return time <= file->seen &&
	       recorded_file_was(file->ctime, time, clock_real(), -RECORDED_TICK);
}

/* Returns the index of MAPPING's file as it was at TIME. It has no status if that is unknown. */
static uint32_t file_number(
	struct follower *follower, int64_t pid, uint64_t time, const struct mapping *mapping)
{
	const uint64_t numbers[] = {mapping->dev_major, mapping->dev_minor, mapping->inode};
	auto_text struct text key = {};
	bool added;

	text_add(&key, (const char *)numbers, sizeof(numbers));
	text_add_string(&key, mapping->path);
	uint64_t *number = table_at(&follower->files, key.data, key.len, &added);
	if (added) {
		*number = add_file(follower,
			&(struct recorded_file){
				.dev_major = mapping->dev_major,
				.dev_minor = mapping->dev_minor,
				.inode = mapping->inode,
				.path = arena_string(&follower->recording->strings, mapping->path),
			});
		follower->followed.data[*number].known = (uint32_t)*number;
	}
	if (mapping->inode && !is_known(&follower->followed.data[*number], time))
		look_at_file(follower, (uint32_t)*number, pid, mapping);
	const struct followed_file *file = &follower->followed.data[*number];
	uint32_t ret = is_known(file, time) ? file->known : (uint32_t)*number;
	follower->recording->files.data[ret]->deleted |= mapping->deleted;
	return ret;
}

static void add_mapping(
	struct follower *follower, int64_t pid, uint64_t time, const struct mapping *mapping)
{
	add_event(follower,
		(struct recorded_row){
			.kind = ROW_MAP,
			.numbers = {(uint64_t)pid, time, mapping->start, mapping->end,
				mapping->file_offset, file_number(follower, pid, time, mapping)},
		});
}

void follower_add(struct follower *follower, int64_t pid, uint64_t time, uint64_t started,
	const char *comm, const struct maps *maps)
{
	add_event(follower, (struct recorded_row){.kind = ROW_PROC,
				    .numbers = {(uint64_t)pid, time, started},
				    .text = name_of(follower, comm)});
	vec_each(map, maps)
		if (map->executable)
			add_mapping(follower, pid, time, map);
}

/* ---- reading events ------------------------------------------------------------------------- */

static void hear(void *context, const struct task_event *task)
{
	struct follower *follower = context;
	struct recorded_losses *losses = &follower->recording->losses;
	bool leader = task->pid == task->tid;
	struct recorded_row event = {.numbers = {task->pid, task->time}};

	switch (task->kind) {
	case TASK_FORK:
	case TASK_THREAD:
		event.kind = task->kind == TASK_FORK ? ROW_FORK : ROW_THREAD;
		event.pid = task->tid;
		event.other = task->parent;
		add_event(follower, event);
		break;
	case TASK_EXEC:
	case TASK_COMM:
		event.kind = task->kind == TASK_EXEC ? ROW_EXEC : ROW_COMM;
		event.text = name_of(follower, task->name);
		if (task->kind == TASK_EXEC || leader)
			add_event(follower, event);
		break;
	case TASK_MAP:
		add_mapping(follower, task->pid, task->time, &task->mapping);
		break;
	case TASK_EXIT:
		event.kind = ROW_EXIT;
		if (leader)
			add_event(follower, event);
		vec_push(&follower->ended, (struct ended_task){task->time, task->tid});
		break;
	case TASK_LOST:
		vec_push(losses, (struct recorded_loss){task->since, task->time});
		recorded_losses_order(losses);
		follower->lost = task->time;
		follower->lost_some = true;
		break;
	case TASK_MOUNTS:
		break;
	}
	if (task->kind == TASK_FORK || task->kind == TASK_THREAD || task->kind == TASK_EXEC ||
		task->kind == TASK_MAP)
		vec_push(&follower->changed, (uint32_t)event.pid);
}

void follower_hear(struct follower *follower)
{
	follower->heard = perf_events_read(follower->events, hear, follower);
	follower->recording->end = follower->heard;
}

void follower_mark(struct follower *follower, uint64_t slack)
{
	follower_hear(follower);
	follower->marks[0] = follower->marks[1];
	follower->marks[1] = follower->heard - slack;
	if (follower->marks[1] < follower->recording->begin)
		follower->marks[1] = follower->recording->begin;
}

/* ---- queries -------------------------------------------------------------------------------- */

/*
 * Drops PID's events before the last read of /proc that is older than FORGET_NS: no sample needs
 * them.
 */
void follower_shorten(struct follower *follower, uint32_t pid)
{
	struct recorded_tasks *tasks = recording_tasks(follower->recording, pid);
	struct recorded_row *events = tasks->rows.data;
	size_t n = tasks->rows.len, first = n;

	if (n < EVENTS_MIN)
		return;
	while (first && (events[first - 1].time + FORGET_NS > follower->heard ||
				events[first - 1].kind != ROW_PROC))
		first--;
	if (first)
		first--;
	else if (n > EVENTS_MAX)
		first = n / 2;
	vec_drop(&tasks->rows, first);
}

void follower_update(struct follower *follower)
{
	follower_hear(follower);
	/* drop tasks that exited FORGET_NS ago, unless their IDs are in use again */
	size_t n = sorted_count(
		follower->ended.data, follower->ended.len, .time + FORGET_NS <= follower->heard);
	array_each(ended, follower->ended.data, n) {
		const struct recorded_row *events;
		size_t n_events = recording_rows(follower->recording, ended->id, ROW_EXIT, &events);

		if (!n_events || events[n_events - 1].time <= ended->time)
			recording_forget_id(follower->recording, ended->id);
	}
	vec_drop(&follower->ended, n);
	if (follower->followed.len > FOLLOWED_MAX || follower->names.len > NAMES_MAX) {
		recording_destroy(follower->recording);
		follower->lost = follower->heard;
		create_recording(follower);
		table_deinit(&follower->files);
		follower->followed.len = 0;
		table_deinit(&follower->names);
		follower->ended.len = 0;
		follower->lost_some = true;
	}
}

bool follower_moved(const struct follower *follower, int64_t pid, uint64_t since, uint64_t until,
	uint64_t address)
{
	const struct recorded_row *events;
	size_t n = recording_rows(follower->recording, pid, ROW_EXIT, &events);
	uint64_t looked = 0;

	if (follower_misses(follower, since))
		return true;
	for (size_t i = sorted_count(events, n, .time <= since); i < n && events[i].time <= until;
		i++) {
		const struct recorded_row *event = &events[i];

		if (event->kind == ROW_PROC)
			looked = event->time;
		if (event->kind == ROW_EXEC || event->kind == ROW_FORK || event->kind == ROW_THREAD)
			return true;
		/* up to `end`: a call may be the last instruction */
		if (event->kind == ROW_MAP && event->time != looked &&
			(!address || (address >= event->start && address <= event->end)))
			return true;
	}
	return false;
}
