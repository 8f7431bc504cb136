// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/tasks.h"

#include <stdlib.h>

#include "process/recording/read.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

/* When single IDs cost more than all of them would have, all are read, if they do not take more. */
enum { ALL_BYTES_MAX = 1 << 29, SCANNED_FACTOR = 8 };
enum { FORGOTTEN_MIN = 1 << 8 /* IDs */ };

/* ---- blocks --------------------------------------------------------------------------------- */

/* Adds what block N has of ID, -1: of all; OTHERS: the processes with this number in a PID namespace. */
static void add_block(struct recording *recording, uint32_t n, int64_t id, bool others,
	struct recorded_tasks *tasks)
{
	struct rows rows;
	struct recorded_row row;

	if (!recorded_blocks_rows(&recording->blocks, n, &rows)) {
		tasks->damaged = true;
		return;
	}
	recording->source = recording->blocks.all.data[n].source;
	while (rows_next(&rows, &row)) {
		recording->scanned++;
		if (id < 0 || (others ? row.kind == ROW_PID && row.numbers[3] == (uint64_t)id
				      : row.numbers[0] == (uint64_t)id))
			recording->odd += !recorded_tasks_read_row(recording, tasks, &row);
	}
}

static void read_all(struct recording *recording)
{
	for (uint32_t n = 0; n < recording->blocks.all.len; n++)
		add_block(recording, n, -1, false, &recording->all);
	recorded_tasks_finish(&recording->all);
	recording->has_all = !recording->all.damaged;
	if (!recording->has_all)
		recorded_tasks_deinit(&recording->all);
}

/* One damaged block would make all doubtful: then they are asked for one by one. */
static bool all_pay(const struct recording *recording)
{
	const struct recorded_blocks *blocks = &recording->blocks;

	return (blocks->n_unpacked > blocks->all.len ||
		       recording->scanned > SCANNED_FACTOR * blocks->records) &&
	       blocks->records <= ALL_BYTES_MAX / sizeof(struct recorded_event) && !blocks->damaged;
}

/* ---- of one ID ------------------------------------------------------------------------------ */

static void read_tasks(
	struct recording *recording, uint64_t id, bool others, struct recorded_tasks *tasks)
{
	size_t at = 0;
	uint32_t n;

	while (recorded_blocks_find(&recording->blocks, id, others, &at, &n))
		add_block(recording, n, (int64_t)id, others, tasks);
	recorded_tasks_finish(tasks);
}

static bool has_tasks(const struct recording *recording, const void *key, size_t len)
{
	const uint64_t *index = table_find(&recording->tasks_by_id, key, len);

	return index && recording->tasks.data[*index];
}

/* What is recorded of ID; OTHERS: of the processes around one with this number in a PID namespace. */
static const struct recorded_tasks *tasks_of(struct recording *recording, int64_t id, bool others)
{
	static const struct recorded_tasks none;
	const uint64_t key[] = {(uint64_t)id, others};

	if (id < 0 || id > INT32_MAX)
		return &none;
	if (!recording->has_all && all_pay(recording))
		read_all(recording);
	if (recording->has_all)
		return &recording->all;
	if (recording->in_memory && !has_tasks(recording, key, sizeof(key)))
		return &none;
	struct recorded_tasks **tasks =
		vec_keyed(&recording->tasks, &recording->tasks_by_id, key, sizeof(key));
	if (!*tasks) {
		*tasks = xcalloc(1, sizeof(**tasks));
		read_tasks(recording, (uint64_t)id, others, *tasks);
	}
	return *tasks;
}

static void tasks_destroy(struct recorded_tasks *tasks)
{
	if (tasks)
		recorded_tasks_deinit(tasks);
	free(tasks);
}

void recording_forget(struct recording *recording)
{
	vec_destroy(&recording->tasks, tasks_destroy);
	table_deinit(&recording->tasks_by_id);
	recording->forgotten = 0;
}

/* ---- in memory ------------------------------------------------------------------------------ */

struct recorded_tasks *recording_tasks(struct recording *recording, int64_t id)
{
	const uint64_t key[] = {(uint64_t)id, false};
	struct recorded_tasks **tasks =
		vec_keyed(&recording->tasks, &recording->tasks_by_id, key, sizeof(key));

	*tasks = *tasks ?: xcalloc(1, sizeof(**tasks));
	return *tasks;
}

/* VALUE is an index in CONTEXT, which has the index to be in its place, or UINT64_MAX. */
static bool renumber(void *context, uint64_t *value)
{
	const uint64_t *numbers = context;

	*value = numbers[*value];
	return *value != UINT64_MAX;
}

static void close_gaps(struct recording *recording)
{
	auto_free uint64_t *numbers = xcalloc(recording->tasks.len + 1, sizeof(*numbers));
	size_t left = 0;

	for (size_t i = 0; i < recording->tasks.len; i++) {
		struct recorded_tasks *tasks = recording->tasks.data[i];

		numbers[i] = tasks ? left : UINT64_MAX;
		if (tasks)
			recording->tasks.data[left++] = tasks;
	}
	table_keep(&recording->tasks_by_id, renumber, numbers);
	recording->tasks.len = left;
	recording->forgotten = 0;
}

void recording_forget_id(struct recording *recording, int64_t id)
{
	const uint64_t key[] = {(uint64_t)id, false};
	const uint64_t *index = table_find(&recording->tasks_by_id, key, sizeof(key));

	if (!index)
		return;
	tasks_destroy(take(recording->tasks.data[*index]));
	if (++recording->forgotten > recording->tasks.len / 2 + FORGOTTEN_MIN)
		close_gaps(recording);
}

/* ---- asking --------------------------------------------------------------------------------- */

/* How many members of the vector MEMBER, by pid, are ID's: 0 if some are damaged. *RET is set to the first. */
#define find_tasks(recording, id, member, ret)                                                     \
	({                                                                                         \
		const struct recorded_tasks *tasks_ = tasks_of(recording, id, false);              \
		__auto_type all_ = tasks_->member.data;                                            \
		size_t n_ = tasks_->member.len;                                                    \
		size_t first_ = sorted_count(all_, n_, .pid < (uint64_t)(id));                     \
		*(ret) = n_ ? all_ + first_ : NULL;                                                \
		tasks_->damaged ? 0 : sorted_count(all_, n_, .pid <= (uint64_t)(id)) - first_;     \
	})

size_t recording_events(struct recording *recording, int64_t pid, const struct recorded_event **ret)
{
	return find_tasks(recording, pid, events, ret);
}

size_t recording_jits(struct recording *recording, int64_t pid, const struct recorded_jit **ret)
{
	return find_tasks(recording, pid, jits, ret);
}

size_t recording_copies(struct recording *recording, int64_t pid, const struct recorded_copy **ret)
{
	return find_tasks(recording, pid, copies, ret);
}

bool recording_has(struct recording *recording, int64_t pid)
{
	const struct recorded_event *events;

	return recording_events(recording, pid, &events) ||
	       tasks_of(recording, pid, false)->damaged;
}

/* Calls FORK for those of ALL, until it returns false. */
static void forks_of(struct recording *recording, uint32_t parent,
	bool (*fork)(void *context, uint32_t child), void *context)
{
	for (size_t i = 0; i < recording->all.events.len; i++) {
		const struct recorded_event *event = &recording->all.events.data[i];

		if (event->kind == ROW_FORK && event->other == parent && !fork(context, event->pid))
			return;
	}
}

void recording_forks(struct recording *recording, int64_t parent,
	bool (*fork)(void *context, uint32_t child), void *context)
{
	struct rows rows;
	struct recorded_row row;
	size_t at = 0;
	uint32_t n;

	if (parent < 0)
		return;
	recording->scanned += recording->all.events.len;
	if (recording->has_all) {
		forks_of(recording, (uint32_t)parent, fork, context);
		return;
	}
	while (recorded_blocks_find(&recording->blocks, (uint64_t)parent, true, &at, &n)) {
		if (!recorded_blocks_rows(&recording->blocks, n, &rows))
			continue;
		for (; rows_next(&rows, &row); recording->scanned++)
			if (row.kind == ROW_FORK && row.numbers[2] == (uint64_t)parent &&
				!fork(context, (uint32_t)row.numbers[0]))
				return;
	}
}

uint64_t recording_pid_namespace(struct recording *recording, int64_t pid)
{
	const struct recorded_tasks *tasks = tasks_of(recording, pid, false);
	uint32_t outer = (uint32_t)pid;
	const uint64_t *namespace = table_find(&tasks->namespace_by_pid, &outer, sizeof(outer));

	return namespace && !tasks->damaged ? *namespace : 0;
}

/* The first entry of (NAMESPACE, INNER) or behind it. */
static size_t pids_before(const struct recorded_tasks *tasks, uint64_t namespace, uint64_t inner)
{
	const struct recorded_pid *all = tasks->pids.data;

	return partition_point(i, 0, tasks->pids.len,
		all[i].namespace < namespace ||
			(all[i].namespace == namespace && all[i].inner < inner));
}

int64_t recording_outer_pid(
	struct recording *recording, uint64_t namespace, int64_t inner, uint64_t time)
{
	const struct recorded_tasks *tasks = tasks_of(recording, inner, true);
	int64_t found = -1;

	if (inner < 0 || inner > INT32_MAX || tasks->damaged)
		return -1;
	size_t first = pids_before(tasks, namespace, (uint64_t)inner);
	size_t end = pids_before(tasks, namespace, (uint64_t)inner + 1);
	if (time < recording->begin || time > recording->end)
		time = 0;
	for (size_t i = first; i < end; i++) {
		const struct recorded_pid *pid = &tasks->pids.data[i];

		if (time && found >= 0 && pid->time > time)
			break;
		if (!time && found >= 0 && found != (int64_t)pid->outer)
			return -1;
		found = (int64_t)pid->outer;
	}
	return found;
}
