// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/process_record.h"

#include <stdlib.h>
#include <string.h>

#include "process/recording/tasks.h"

/*
 * Maximum number of forks without exec to follow back from a process, of steps per recording, and
 * of mappings per process.
 */
enum { ANCESTORS_MAX = 32, EFFORT_MAX = 1 << 28, MAPPINGS_MAX = 1 << 18 };

/* An image is the address space of a process. A fork, an exec or a read of /proc begins one. */
struct record_builder {
	struct recording *recording;
	struct process_record *record;
	size_t first;	  /* index of the image's first mapping */
	uint32_t program; /* number of execs so far */
	uint64_t looked;  /* ns; time of the read of /proc that began the image, 0 if none */
	/* ns; mappings found by that read may have been there from this time on; 0: always */
	uint64_t since;
	struct table classes;	 /* key of class_of() → number of the class */
	struct table identified; /* key of join() → index of the latest mapping */
};

/* The events [FIRST, END) of a process, which belong to one image. */
struct run {
	const struct recorded_row *events; /* all events of the process */
	size_t first, end;
};

static void record_destroy(struct process_record *record)
{
	vec_deinit(&record->maps);
	vec_deinit(&record->comms);
	vec_deinit(&record->programs);
	vec_deinit(&record->mappings);
	history_deinit(&record->history);
	arena_deinit(&record->strings);
	free(record);
}

/* ---- events to mappings --------------------------------------------------------------------- */

/*
 * Returns the number of MAPPING's class. Mappings of a class have the same content at every
 * address: the same part of the same file. Anonymous memory has a class per program, because it may
 * contain JIT code, which does not survive an exec.
 */
static uint32_t class_of(
	struct record_builder *builder, const struct mapping *mapping, uint32_t file_number)
{
	const struct recorded_file *file = mapping->file;
	bool anonymous = !file->inode && !file->build_id.len && !*file->path;
	struct {
		uint64_t kind, number, shift;
		uint8_t id[BUILD_ID_MAX];
	} key = {.kind = file->build_id.len};

	if (file->build_id.len)
		memcpy(key.id, file->build_id.bytes, file->build_id.len);
	else
		key.number = anonymous ? UINT64_MAX - builder->program : file_number;
	key.shift = anonymous ? 0 : mapping->file_offset - mapping->start;
	return (uint32_t)table_number(&builder->classes, &key, sizeof(key));
}

static void set_file(struct mapping *mapping, const struct recorded_file *file)
{
	mapping->dev_major = file->dev_major;
	mapping->dev_minor = file->dev_minor;
	mapping->inode = file->inode;
	mapping->deleted = file->deleted;
	mapping->path = file->path;
	mapping->file = file;
	mapping->build_id = file->build_id.len ? &file->build_id : NULL;
}

static bool is_identified(const struct recorded_file *file)
{
	return file->build_id.len || file->size;
}

/*
 * If MAPPING, of SPAN, was FOUND by a read of /proc and is the same as the latest mapping there,
 * gives both the same file: the recorder could identify the file only once if the process exited
 * during that read, or before the event was handled. A new mapping would have an event.
 */
static void join(struct record_builder *builder, struct mapping *mapping, struct history_span *span,
	bool found)
{
	const uint64_t key[] = {builder->program, mapping->start, mapping->end,
		mapping->file_offset, mapping->dev_major, mapping->dev_minor, mapping->inode};
	const struct recording *recording = builder->recording;
	bool added;
	uint64_t *last = table_at(&builder->identified, key, sizeof(key), &added);
	size_t number = *last;

	*last = builder->record->mappings.len;
	if (added || !found)
		return;
	struct mapping *before = &builder->record->mappings.data[number];
	struct history_span *span_before = &builder->record->history.spans.data[number];
	bool known = is_identified(mapping->file), was_known = is_identified(before->file);
	if (!known && was_known) {
		set_file(mapping, before->file);
		span->what = span_before->what;
	} else if (known && !was_known &&
		   recorded_file_was(mapping->file->ctime, span_before->begin, recording->real,
			   RECORDED_TICK) &&
		   !recorded_losses_between(&recording->losses, span_before->begin, span->begin)) {
		set_file(before, mapping->file);
		span_before->what = span->what;
	}
}

static void add_mapping(
	struct record_builder *builder, const struct recorded_row *event, uint64_t time)
{
	struct process_record *record = builder->record;
	/* by a read of /proc */
	bool found = builder->looked && time == builder->looked;
	uint64_t since = found ? builder->since : time;

	if (record->mappings.len == MAPPINGS_MAX || ++builder->recording->effort > EFFORT_MAX) {
		record->crowded = true;
		return;
	}
	struct mapping mapping = {
		.start = event->start,
		.end = event->end,
		.file_offset = event->offset,
		.readable = true,
		.executable = true,
		.program = builder->program,
	};
	set_file(&mapping, builder->recording->files.data[event->file]);
	struct history_span span = {
		.start = event->start,
		.end = event->end,
		.since = since,
		.begin = found && !since ? 0 : time,
		.what = class_of(builder, &mapping, (uint32_t)event->file),
	};
	if (mapping.inode)
		join(builder, &mapping, &span, found);
	vec_push(&record->mappings, mapping);
	history_add(&record->history, span);
}

static bool begins_image(const struct recorded_row *event)
{
	return event->kind == ROW_PROC || event->kind == ROW_FORK || event->kind == ROW_EXEC;
}

/*
 * Finds the events of the image that process PID had at TIME, up to TIME. If /proc was first read
 * after TIME, assumes that the process had the same image before. Returns false if there are none,
 * or if EFFORT_MAX is reached.
 */
static bool image_at(struct recording *recording, uint32_t pid, uint64_t time, struct run *ret)
{
	const struct recorded_row *events;
	size_t n = recording_rows(recording, pid, ROW_EXIT, &events), at;

	if (!n)
		return false;
	at = sorted_count(events, n, .time <= time);
	if (!at && events[0].kind == ROW_PROC) {
		for (at = 1; at < n && !begins_image(&events[at]); at++)
			recording->effort++;
	}
	*ret = (struct run){events, 0, at};
	for (size_t i = at; i > 0; i--) {
		recording->effort++;
		/* earlier events of this ID are another process's */
		if (events[i - 1].kind == ROW_THREAD) {
			ret->first = i;
			break;
		}
		if (begins_image(&events[i - 1])) {
			ret->first = i - 1;
			break;
		}
	}
	return at > ret->first && recording->effort < EFFORT_MAX;
}

/* Returns the index of the first recorded event of RUN's process. */
static size_t begin_of(const struct run *run)
{
	size_t i = run->first;

	while (i && run->events[i].kind != ROW_FORK && run->events[i - 1].kind != ROW_THREAD)
		i--;
	return i;
}

static void add_comm(struct process_record *record, uint64_t time, const char *comm)
{
	if (!record->comms.len || strcmp(vec_last(&record->comms)->comm, comm) != 0)
		vec_push(&record->comms,
			(struct timed_comm){time, arena_string(&record->strings, comm)});
}

/* Copies mount namespace and root from EVENT. Returns its process name, or NULL. */
static const char *take_names(struct process_record *record, const struct recorded_row *event)
{
	switch (event->kind) {
	case ROW_PROC:
		record->namespace = event->found.namespace ?: record->namespace;
		return event->text.at;
	case ROW_EXEC:
	case ROW_COMM:
		return event->text.at;
	case ROW_NS:
		record->namespace = event->moved_to ?: record->namespace;
		return NULL;
	case ROW_ROOT:
		record->root = arena_string(&record->strings, event->text.at);
		return NULL;
	default:
		return NULL;
	}
}

/*
 * Copies mappings, name, mount namespace and root from FORK's parent. The parent may have inherited
 * them from its own parent, so follows forks back first.
 */
static void inherit(struct record_builder *builder, const struct recorded_row *fork)
{
	const struct recorded_row *from = fork;
	struct run runs[ANCESTORS_MAX];
	const char *comm = NULL;
	bool same = true; /* true while no exec was found */
	size_t n = 0, mapped = 0;

	while (n < ANCESTORS_MAX && from->kind == ROW_FORK &&
		image_at(builder->recording, (uint32_t)from->other, from->time, &runs[n])) {
		const struct run *run = &runs[n++];

		mapped += same;
		same = same && run->events[run->first].kind == ROW_FORK;
		from = &run->events[begin_of(run)];
	}
	while (n--)
		for (size_t i = begin_of(&runs[n]); i < runs[n].end; i++) {
			const struct recorded_row *event = &runs[n].events[i];

			builder->recording->effort++;
			comm = take_names(builder->record, event) ?: comm;
			if (event->kind == ROW_MAP && n < mapped && i >= runs[n].first)
				add_mapping(builder, event, fork->time);
		}
	if (comm)
		add_comm(builder->record, fork->time, comm);
}

/*
 * Adds EVENT. SINCE: time of the previous event. Mappings found by a read of /proc may exist since
 * then; at the first event SINCE is 0, so they are assumed to have always existed.
 */
static void add_event(
	struct record_builder *builder, const struct recorded_row *event, uint64_t since)
{
	struct process_record *record = builder->record;

	if (begins_image(event) && builder->recording->effort < EFFORT_MAX) {
		for (size_t i = builder->first; i < record->mappings.len; i++)
			record->history.spans.data[i].gone = event->time - 1;
		builder->first = record->mappings.len;
		builder->looked = event->kind == ROW_PROC ? event->time : 0;
		builder->since = since;
		if (event->kind == ROW_EXEC) {
			builder->program++;
			vec_push(&record->programs, event->time);
		}
		if (event->kind == ROW_FORK)
			inherit(builder, event);
	} else if (event->kind == ROW_MAP) {
		add_mapping(builder, event, event->time);
	}
	if (event->kind == ROW_PROC) {
		record->levels = (uint32_t)event->found.levels ?: record->levels;
		record->start_ticks = event->found.started ?: record->start_ticks;
	}
	const char *comm = take_names(record, event);
	if (comm)
		add_comm(record, event->time, comm);
}

/* ---- mappings without times ----------------------------------------------------------------- */

/* Adds what was ever mapped at [START, END); no mapping begins or ends inside. */
static void add_stretch(struct process_record *record, uint64_t start, uint64_t end)
{
	bool ambiguous;
	const struct history_span *span = history_at(&record->history, start, 0, &ambiguous);
	struct mapping *last = record->maps.len ? vec_last(&record->maps) : NULL;

	if (!span)
		return;
	struct mapping mapping = record->mappings.data[span->item];
	mapping.file_offset += start - mapping.start;
	mapping.start = start;
	mapping.end = end;
	mapping.ambiguous = ambiguous;
	if (last && last->end == start && last->file == mapping.file &&
		last->ambiguous == ambiguous &&
		last->file_offset - last->start == mapping.file_offset - start)
		last->end = end;
	else
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it is given room */
		vec_push(&record->maps, mapping);
}

static struct process_record *record_create(
	struct recording *recording, const struct recorded_task *task)
{
	struct process_record *record = xnew(record);
	struct record_builder builder = {.recording = recording, .record = record};
	const struct recorded_row *events;

	(void)recording_rows(recording, task->process, ROW_EXIT, &events);
	record->recording = recording;
	record->pid = task->process;
	record->first = task->first;
	record->begin = task->begin;
	record->until = task->until;
	record->started = recorded_start(recording, &events[task->first]);
	record->came = events[task->first].kind == ROW_FORK && !events[task->first].other;
	for (size_t i = task->first; i < task->end; i++)
		add_event(&builder, &events[i], i > task->first ? events[i - 1].time : 0);
	history_finish(&record->history);
	vec_each(run, &record->history.runs)
		for (size_t i = 1; i < run->n_bounds; i++)
			add_stretch(record, run->bounds[i - 1], run->bounds[i]);
	table_deinit(&builder.classes);
	table_deinit(&builder.identified);
	return record;
}

/* ---- queries -------------------------------------------------------------------------------- */

const struct process_record *process_record_of(
	struct recording *recording, int64_t pid, uint64_t time, bool *ambiguous)
{
	const struct recorded_task *task = recorded_task_at(recording, pid, time, ambiguous);

	if (task && (int64_t)task->process != pid) {
		pid = task->process;
		task = recorded_task_at(recording, pid, time, ambiguous);
	}
	if (!task || (int64_t)task->process != pid)
		return NULL;
	const uint64_t key[] = {task->process, task->first};
	uint64_t *record = table_at(&recording->record_by_task, key, sizeof(key), NULL);
	if (!*record)
		*record = (uintptr_t)record_create(recording, task);
	return (void *)(uintptr_t)*record;
}

static bool keep_record(void *context, uint64_t *record)
{
	const struct table *kept = context;

	if (kept && table_find(kept, record, sizeof(*record)))
		return true;
	record_destroy((void *)(uintptr_t)*record);
	return false;
}

void process_records_forget(struct recording *recording, struct table *kept)
{
	table_keep(&recording->record_by_task, keep_record, kept);
	recorded_ids_forget(recording);
	if (!recording->in_memory)
		recording_forget(recording);
	recording->effort = 0;
}

const struct mapping *process_record_find(
	const struct process_record *record, uint64_t time, uint64_t address)
{
	bool ambiguous;

	time = recorded_time(record->recording, time);
	if (!time)
		return maps_find(&record->maps, address);
	const struct history_span *span = history_at(&record->history, address, time, &ambiguous);
	if (!span || !ambiguous)
		return span ? &record->mappings.data[span->item] : NULL;
	/* between two reads of /proc: as uncertain as without a time */
	return maps_find(&record->maps, address);
}

/* Returns when the process exited, else when its ID was reused or the recording ends (ns). */
static uint64_t end_of(const struct process_record *record)
{
	const struct recorded_row *events;
	size_t n = recording_rows(record->recording, record->pid, ROW_EXIT, &events);

	for (size_t i = n; i > record->first; i--)
		if (events[i - 1].kind == ROW_EXIT &&
			(!record->until || events[i - 1].time < record->until))
			return events[i - 1].time;
	return record->until ?: record->recording->end;
}

bool process_record_is_sure(const struct process_record *record, uint64_t time)
{
	struct recording *recording = record->recording;
	uint32_t pid = record->pid;

	if (record->crowded || !recording->losses.len)
		return !record->crowded;
	time = recorded_time(recording, time) ?: end_of(record);
	for (int depth = 0; depth < ANCESTORS_MAX; depth++) {
		struct run run;

		if (!image_at(recording, pid, time, &run))
			return true;
		const struct recorded_row *begin = &run.events[run.first];
		if (recorded_losses_between(&recording->losses, begin->time, time))
			return false;
		if (begin->kind != ROW_FORK)
			return true;
		pid = (uint32_t)begin->other;
		time = begin->time;
	}
	return true;
}

const char *process_record_comm(const struct process_record *record, uint64_t time)
{
	time = recorded_time(record->recording, time);
	size_t n = time ? sorted_count(record->comms.data, record->comms.len, .time <= time)
			: record->comms.len;

	return record->comms.len ? record->comms.data[n ? n - 1 : 0].comm : NULL;
}

void recorded_file_stamp(struct recorded_file *file, const struct stat *st)
{
	file->size = (uint64_t)st->st_size;
	file->mtime = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	file->ctime = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;
}

bool recorded_file_was(int64_t ctime, uint64_t time, uint64_t real, int64_t slack)
{
	return real && ctime > 0 && ctime < (int64_t)(time + real) + slack;
}

bool process_record_is_file(
	const struct process_record *record, const struct mapping *mapping, const struct stat *st)
{
	const struct recorded_file *file = mapping->file;
	struct recorded_file now;

	if (record->recording->foreign || !file)
		return false;
	/* files whose build ID came from the kernel were not examined */
	if (!file->size)
		return file->build_id.len > 0;
	recorded_file_stamp(&now, st);
	return file->size == now.size && file->mtime == now.mtime &&
	       (!file->ctime || file->ctime == now.ctime);
}

bool process_record_is_younger(const struct process_record *record, const struct stat *st)
{
	const struct recording *recording = record->recording;
	uint64_t since = record->begin ? record->begin : recording->begin;
	struct recorded_file now;

	recorded_file_stamp(&now, st);
	return recorded_file_was(now.ctime, since, recording->real, 0);
}
