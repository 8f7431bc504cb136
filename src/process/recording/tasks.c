// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/tasks.h"

#include <stdlib.h>

#include "process/recording/kept_dir.h"
#include "util/cleanup.h"
#include "util/sort.h"
#include "util/xalloc.h"

/* Read all IDs at once when single ones have cost more, unless they exceed ALL_BYTES_MAX. */
enum { ALL_BYTES_MAX = 1 << 29, SCANNED_FACTOR = 8 };
enum { FORGOTTEN_MIN = 1 << 8 /* IDs */, ROWS_MAX = 1 << 23 };

/* ---- rows ----------------------------------------------------------------------------------- */

/*
 * Returns false if ROW is not understood. Replaces the file number of a mapping by the index in
 * recording.files.
 */
static bool check_row(const struct recording *recording, struct recorded_row *row)
{
	const uint64_t key = row->file | (uint64_t)recording->source << 32;
	const uint64_t *file;

	switch (row->kind) {
	case ROW_FORK:
	case ROW_THREAD:
		return row->other <= INT32_MAX;
	case ROW_MAP:
		file = table_find(&recording->file_by_number, &key, sizeof(key));
		if (row->start >= row->end || row->file > UINT32_MAX || !file)
			return false;
		row->file = *file;
		return true;
	case ROW_PID:
		return row->inner <= INT32_MAX;
	case ROW_KEPT:
		return row->kept.start < row->kept.end && row->kept.since <= row->time &&
		       kept_name_is(row->text.at);
	case ROW_JITLINE:
		return row->line.line <= UINT32_MAX && row->line.column <= UINT32_MAX;
	default:
		return true;
	}
}

/*
 * Adds ROW to TASKS. Its file number is one of the source recording->source. Returns false if it is
 * not understood.
 */
static bool add_row(
	struct recording *recording, struct recorded_tasks *tasks, const struct recorded_row *row)
{
	struct recorded_row read = *row;

	if (row_form(row->kind)->has_text)
		read.text =
			scan_of(arena_copy(&tasks->strings, row->text.at, scan_left(&row->text)));
	read.order = (uint32_t)tasks->rows.len;
	/* a missing row may have replaced what the others have */
	tasks->damaged |= read.order == ROWS_MAX;
	if (row->pid > INT32_MAX || tasks->damaged || !check_row(recording, &read))
		return false;
	vec_push(&tasks->rows, read);
	return true;
}

COMPARE(compare_rows, struct recorded_row,
	order_of(a->pid, b->pid)
		?: order_of(row_class(a->kind), row_class(b->kind))
		?: (a->kind <= ROW_EXIT ? order_of(a->time, b->time) : 0)
		?: order_of(a->order, b->order))

void recorded_tasks_deinit(struct recorded_tasks *tasks)
{
	vec_deinit(&tasks->rows);
	arena_deinit(&tasks->strings);
}

/* ---- blocks --------------------------------------------------------------------------------- */

/*
 * Adds the rows of ID in block N to TASKS; all rows if ID is -1. If OTHERS, adds the rows of kind
 * ROW_PID with the number ID in a PID namespace.
 */
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
		if (id < 0 || (others ? row.kind == ROW_PID && row.inner == (uint64_t)id
				      : row.pid == (uint64_t)id))
			recording->odd += !add_row(recording, tasks, &row);
	}
}

/*
 * Returns true if it is better to read all IDs at once. Not with a damaged block: that would make
 * every ID unusable, not just those in the block.
 */
static bool all_pay(const struct recording *recording)
{
	const struct recorded_blocks *blocks = &recording->blocks;

	return (blocks->n_unpacked > blocks->all.len ||
		       recording->scanned > SCANNED_FACTOR * blocks->records) &&
	       blocks->records <= ALL_BYTES_MAX / sizeof(struct recorded_row) && !blocks->damaged;
}

/* ---- rows of one ID ------------------------------------------------------------------------- */

/*
 * Returns the rows of ID; if OTHERS, the rows of kind ROW_PID with the number ID in a PID
 * namespace.
 */
static const struct recorded_tasks *tasks_of(struct recording *recording, int64_t id, bool others)
{
	static const struct recorded_tasks none;
	const uint64_t key[] = {(uint64_t)id, others};
	size_t at = 0;
	uint32_t n;

	if (id < 0 || id > INT32_MAX)
		return &none;
	if (!recording->has_all && all_pay(recording)) {
		for (n = 0; n < recording->blocks.all.len; n++)
			add_block(recording, n, -1, false, &recording->all);
		vec_sort(&recording->all.rows, compare_rows);
		recording->has_all = !recording->all.damaged;
		if (!recording->has_all)
			recorded_tasks_deinit(&recording->all);
	}
	if (recording->has_all && !others)
		return &recording->all;
	uint64_t *tasks = recording->in_memory
				  ? table_find(&recording->tasks_by_id, key, sizeof(key))
				  : table_at(&recording->tasks_by_id, key, sizeof(key), NULL);
	if (!tasks || (recording->in_memory && !*tasks))
		return &none;
	if (*tasks)
		return (void *)(uintptr_t)*tasks;
	struct recorded_tasks *read = xnew(read);
	*tasks = (uintptr_t)read;
	while (recorded_blocks_find(&recording->blocks, (uint64_t)id, others, &at, &n))
		add_block(recording, n, id, others, read);
	vec_sort(&read->rows, compare_rows);
	return read;
}

static void tasks_destroy(uint64_t *tasks)
{
	if (*tasks)
		recorded_tasks_deinit((void *)(uintptr_t)*tasks);
	free((void *)(uintptr_t)*tasks);
	*tasks = 0;
}

static bool drop(void *context, uint64_t *tasks)
{
	(void)context;
	tasks_destroy(tasks);
	return false;
}

void recording_forget(struct recording *recording)
{
	table_keep(&recording->tasks_by_id, drop, NULL);
	recording->forgotten = 0;
}

/* ---- recordings in memory ------------------------------------------------------------------- */

struct recorded_tasks *recording_tasks(struct recording *recording, int64_t id)
{
	const uint64_t key[] = {(uint64_t)id, false};
	uint64_t *tasks = table_at(&recording->tasks_by_id, key, sizeof(key), NULL);

	*tasks = *tasks ?: (uintptr_t)xcalloc(1, sizeof(struct recorded_tasks));
	return (void *)(uintptr_t)*tasks;
}

static bool is_there(void *context, uint64_t *tasks)
{
	(void)context;
	return *tasks;
}

void recording_forget_id(struct recording *recording, int64_t id)
{
	const uint64_t key[] = {(uint64_t)id, false};
	uint64_t *tasks = table_find(&recording->tasks_by_id, key, sizeof(key));

	if (!tasks)
		return;
	tasks_destroy(tasks);
	if (++recording->forgotten <= recording->tasks_by_id.len / 2 + FORGOTTEN_MIN)
		return;
	table_keep(&recording->tasks_by_id, is_there, NULL);
	recording->forgotten = 0;
}

/* ---- queries -------------------------------------------------------------------------------- */

/* Returns the number of rows before those of PID and CLASS. */
static size_t rows_before(const struct recorded_tasks *tasks, uint64_t pid, enum row_kind class)
{
	const struct recorded_row *rows = tasks->rows.data;

	return partition_point(i, 0, tasks->rows.len,
		rows[i].pid < pid || (rows[i].pid == pid && row_class(rows[i].kind) < class));
}

size_t recording_rows(struct recording *recording, int64_t pid, enum row_kind class,
	const struct recorded_row **ret)
{
	const struct recorded_tasks *tasks = tasks_of(recording, pid, false);
	size_t first = rows_before(tasks, (uint64_t)pid, class);
	size_t n = tasks->damaged ? 0 : rows_before(tasks, (uint64_t)pid, class + 1) - first;

	*ret = n ? &tasks->rows.data[first] : NULL;
	return n;
}

bool recording_has(struct recording *recording, int64_t pid)
{
	const struct recorded_row *events;

	return recording_rows(recording, pid, ROW_EXIT, &events) ||
	       tasks_of(recording, pid, false)->damaged;
}

bool recording_forks(struct recording *recording, int64_t parent, size_t *at, struct ids *ret)
{
	struct rows rows;
	struct recorded_row row;
	uint32_t n;

	ret->len = 0;
	if (parent < 0 || !recorded_blocks_find(&recording->blocks, (uint64_t)parent, true, at, &n))
		return false;
	if (!recorded_blocks_rows(&recording->blocks, n, &rows))
		return true;
	for (; rows_next(&rows, &row); recording->scanned++)
		if (row.kind == ROW_FORK && row.other == (uint64_t)parent)
			vec_push(ret, (uint32_t)row.pid);
	return true;
}

uint64_t recording_pid_namespace(struct recording *recording, int64_t pid)
{
	const struct recorded_row *numbers;
	size_t n = recording_rows(recording, pid, ROW_PID, &numbers);

	/* the innermost is the last */
	return n ? numbers[n - 1].pid_namespace : 0;
}

int64_t recording_outer_pid(
	struct recording *recording, uint64_t namespace, int64_t inner, uint64_t time)
{
	const struct recorded_tasks *tasks = tasks_of(recording, inner, true);
	const struct recorded_row *found = NULL;

	time = recorded_time(recording, time);
	for (size_t i = 0; !tasks->damaged && i < tasks->rows.len; i++) {
		const struct recorded_row *row = &tasks->rows.data[i];

		if (row->pid_namespace != namespace)
			continue;
		if (!time && found && found->pid != row->pid)
			return -1;
		/* prefer the last row up to TIME, else take the first after it */
		if (!found || (row->time > time ? row->time < found->time
						: found->time > time || row->time >= found->time))
			found = row;
	}
	return found ? (int64_t)found->pid : -1;
}
