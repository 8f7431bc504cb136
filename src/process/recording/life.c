// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/life.h"

#include <stdlib.h>
#include <string.h>

#include "process/recording/tasks.h"
#include "util/vec.h"

/*
 * Maximum number of forks without exec to follow back from a process, of steps per recording, and
 * of mappings per process.
 */
enum { ANCESTORS_MAX = 32, EFFORT_MAX = 1 << 28, MAPPINGS_MAX = 1 << 18 };

/* The address space of a process. It begins with a fork, an exec or a read of /proc. */
struct image {
	size_t first;	  /* index of its first mapping */
	uint32_t program; /* number of execs so far */
	uint64_t looked;  /* ns; time of the read of /proc, 0 if none */
	/* ns; mappings found by that read may exist since then; 0 if always */
	uint64_t since;
};

struct life_builder {
	struct recording *recording;
	struct recorded_life *life;
	struct image image;
	struct VEC(struct history_span) spans; /* spans of life->mappings */
	struct table classes;		       /* key of class_of() → number of the class */
	struct table identified;	       /* key of join() → index of the latest mapping */
};

/* The events [FIRST, END) of a process, which belong to one image. */
struct run {
	const struct recorded_row *events; /* all events of the process */
	size_t first, end;
};

static void life_destroy(struct recorded_life *life)
{
	vec_deinit(&life->maps);
	vec_deinit(&life->comms);
	vec_deinit(&life->programs);
	vec_deinit(&life->mappings);
	history_deinit(&life->history);
	arena_deinit(&life->strings);
	free(life);
}

/* ---- events to mappings --------------------------------------------------------------------- */

/*
 * Returns the number of MAPPING's class. Mappings of a class have the same content at every
 * address: the same part of the same file. Anonymous memory has a class per program, because it may
 * contain JIT code, which does not survive an exec.
 */
static uint32_t class_of(
	struct life_builder *builder, const struct mapping *mapping, uint32_t file_number)
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
		key.number = anonymous ? UINT64_MAX - builder->image.program : file_number;
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

/* Returns true if the file found at TIME is the one that was mapped with it at BEGIN. */
static bool is_unchanged(const struct recording *recording, const struct recorded_file *file,
	uint64_t begin, uint64_t time)
{
	return recording->real && file->ctime > 0 &&
	       file->ctime < (int64_t)(begin + recording->real) + RECORDED_TICK &&
	       !recorded_losses_between(&recording->losses, begin, time);
}

/*
 * If MAPPING, of SPAN, is the latest one but for a read of /proc (FOUND), gives both the same file:
 * if the process exited during that read, or before its event was handled, the recorder could
 * identify the file only once. A mapping that replaced the other would have an event.
 */
static void join(struct life_builder *builder, struct mapping *mapping, struct history_span *span,
	bool found)
{
	const uint64_t key[] = {builder->image.program, mapping->start, mapping->end,
		mapping->file_offset, mapping->dev_major, mapping->dev_minor, mapping->inode};
	bool added;
	uint64_t *last = table_at(&builder->identified, key, sizeof(key), &added);
	size_t number = *last;

	*last = span->item;
	if (added || !found)
		return;
	struct mapping *before = &builder->life->mappings.data[number];
	struct history_span *span_before = &builder->spans.data[number];
	bool known = is_identified(mapping->file), was_known = is_identified(before->file);
	if (!known && was_known) {
		set_file(mapping, before->file);
		span->what = span_before->what;
	} else if (known && !was_known &&
		   is_unchanged(
			   builder->recording, mapping->file, span_before->begin, span->begin)) {
		set_file(before, mapping->file);
		span_before->what = span->what;
	}
}

static void add_mapping(
	struct life_builder *builder, const struct recorded_row *event, uint64_t time)
{
	struct recorded_life *life = builder->life;
	bool found = builder->image.looked && time == builder->image.looked;
	uint64_t since = found ? builder->image.since : time;

	if (life->mappings.len == MAPPINGS_MAX || ++builder->recording->effort > EFFORT_MAX) {
		life->crowded = true;
		return;
	}
	struct mapping mapping = {
		.start = event->start,
		.end = event->end,
		.file_offset = event->offset,
		.readable = true,
		.executable = true,
		.program = builder->image.program,
	};
	set_file(&mapping, builder->recording->files.data[event->file]);
	struct history_span span = {
		.start = event->start,
		.end = event->end,
		.since = since,
		.begin = found && !since ? 0 : time,
		.what = class_of(builder, &mapping, (uint32_t)event->file),
		.item = (uint32_t)life->mappings.len,
	};
	if (mapping.inode)
		join(builder, &mapping, &span, found);
	vec_push(&life->mappings, mapping);
	vec_push(&builder->spans, span);
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

static void add_comm(struct recorded_life *life, uint64_t time, const char *comm)
{
	if (!life->comms.len || strcmp(vec_last(&life->comms)->comm, comm) != 0)
		vec_push(
			&life->comms, (struct life_comm){time, arena_string(&life->strings, comm)});
}

/* Copies mount namespace and root from EVENT. Returns its process name, or NULL. */
static const char *take_names(struct recorded_life *life, const struct recorded_row *event)
{
	switch (event->kind) {
	case ROW_PROC:
		life->namespace = event->found.namespace ?: life->namespace;
		return event->text.at;
	case ROW_EXEC:
	case ROW_COMM:
		return event->text.at;
	case ROW_NS:
		life->namespace = event->moved_to ?: life->namespace;
		return NULL;
	case ROW_ROOT:
		life->root = arena_string(&life->strings, event->text.at);
		return NULL;
	default:
		return NULL;
	}
}

/*
 * Copies mappings, name, mount namespace and root from FORK's parent. The parent may have inherited
 * them from its own parent, so follows forks back first.
 */
static void inherit(struct life_builder *builder, const struct recorded_row *fork)
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
			comm = take_names(builder->life, event) ?: comm;
			if (event->kind == ROW_MAP && n < mapped && i >= runs[n].first)
				add_mapping(builder, event, fork->time);
		}
	if (comm)
		add_comm(builder->life, fork->time, comm);
}

/*
 * Begins an image at EVENT. SINCE: time of the previous event. Mappings found by a read of /proc
 * may exist since then; at the first event SINCE is 0, so they are assumed to have always existed.
 */
static void begin_image(
	struct life_builder *builder, const struct recorded_row *event, uint64_t since)
{
	struct recorded_life *life = builder->life;

	for (size_t i = builder->image.first; i < builder->spans.len; i++)
		builder->spans.data[i].gone = event->time - 1;
	builder->image.first = builder->spans.len;
	builder->image.looked = event->kind == ROW_PROC ? event->time : 0;
	builder->image.since = since;
	if (event->kind == ROW_EXEC) {
		builder->image.program++;
		vec_push(&life->programs, event->time);
	}
	if (event->kind == ROW_FORK)
		inherit(builder, event);
}

/* Adds EVENT. SINCE: time of the previous event; 0 if EVENT is the first. */
static void add_event(
	struct life_builder *builder, const struct recorded_row *event, uint64_t since)
{
	struct recorded_life *life = builder->life;

	if (begins_image(event) && builder->recording->effort < EFFORT_MAX)
		begin_image(builder, event, since);
	else if (event->kind == ROW_MAP)
		add_mapping(builder, event, event->time);
	if (event->kind == ROW_PROC) {
		life->levels = (uint32_t)event->found.levels ?: life->levels;
		life->start_ticks = event->found.started ?: life->start_ticks;
	}
	const char *comm = take_names(life, event);
	if (comm)
		add_comm(life, event->time, comm);
}

/* ---- mappings without times ----------------------------------------------------------------- */

static bool continues(const struct mapping *last, const struct mapping *next)
{
	return last->end == next->start && last->file == next->file &&
	       last->ambiguous == next->ambiguous &&
	       last->file_offset - last->start == next->file_offset - next->start;
}

/* Adds what was ever mapped at [START, END); no mapping begins or ends inside. */
static void add_stretch(struct recorded_life *life, uint64_t start, uint64_t end)
{
	bool ambiguous;
	const struct history_span *span = history_at(&life->history, start, 0, &ambiguous);
	size_t n = life->maps.len;

	if (!span)
		return;
	struct mapping mapping = life->mappings.data[span->item];
	mapping.file_offset += start - mapping.start;
	mapping.start = start;
	mapping.end = end;
	mapping.ambiguous = ambiguous;
	if (n && continues(&life->maps.data[n - 1], &mapping))
		life->maps.data[n - 1].end = end;
	else
		vec_push(&life->maps, mapping);
}

static void find_maps(struct life_builder *builder)
{
	struct recorded_life *life = builder->life;

	vec_each_value(span, &builder->spans)
		(void)history_add(&life->history, span);
	history_finish(&life->history);
	for (size_t i = 1; i < life->history.bounds.len; i++)
		add_stretch(life, life->history.bounds.data[i - 1], life->history.bounds.data[i]);
}

static struct recorded_life *life_create(
	struct recording *recording, const struct recorded_task *task)
{
	struct recorded_life *life = xnew(life);
	struct life_builder builder = {.recording = recording, .life = life};
	const struct recorded_row *events;

	(void)recording_rows(recording, task->process, ROW_EXIT, &events);
	life->recording = recording;
	life->pid = task->process;
	life->first = task->first;
	life->begin = task->begin;
	life->until = task->until;
	life->started = recorded_start(recording, &events[task->first]);
	life->came = events[task->first].kind == ROW_FORK && !events[task->first].other;
	for (size_t i = task->first; i < task->end; i++)
		add_event(&builder, &events[i], i > task->first ? events[i - 1].time : 0);
	find_maps(&builder);
	vec_deinit(&builder.spans);
	table_deinit(&builder.classes);
	table_deinit(&builder.identified);
	return life;
}

/* ---- queries -------------------------------------------------------------------------------- */

/* Returns the tasks of PID, from the cache if possible. */
static const struct recorded_id *id_of(struct recording *recording, int64_t pid)
{
	uint64_t *id = table_at(&recording->id_by_number, &pid, sizeof(pid), NULL);

	if (!*id) {
		struct recorded_id *read = xnew(read);

		*id = (uintptr_t)read;
		recorded_id_read(recording, pid, read);
	}
	return (void *)(uintptr_t)*id;
}

static bool drop_id(void *context, uint64_t *id)
{
	(void)context;
	recorded_id_deinit((void *)(uintptr_t)*id);
	free((void *)(uintptr_t)*id);
	return false;
}

const struct recorded_life *recorded_life_of(
	struct recording *recording, int64_t pid, uint64_t time, bool *ambiguous)
{
	const struct recorded_task *task =
		recorded_id_at(recording, id_of(recording, pid), time, ambiguous);

	if (task && (int64_t)task->process != pid) {
		pid = task->process;
		task = recorded_id_at(recording, id_of(recording, pid), time, ambiguous);
	}
	if (!task || (int64_t)task->process != pid)
		return NULL;
	const uint64_t key[] = {task->process, task->first};
	uint64_t *life = table_at(&recording->life_by_task, key, sizeof(key), NULL);
	if (!*life)
		*life = (uintptr_t)life_create(recording, task);
	return (void *)(uintptr_t)*life;
}

static bool keep_life(void *context, uint64_t *life)
{
	const struct table *kept = context;

	if (kept && table_find(kept, life, sizeof(*life)))
		return true;
	life_destroy((void *)(uintptr_t)*life);
	return false;
}

void recorded_lives_forget(struct recording *recording, struct table *kept)
{
	table_keep(&recording->life_by_task, keep_life, kept);
	table_keep(&recording->id_by_number, drop_id, NULL);
	if (!recording->in_memory)
		recording_forget(recording);
	recording->effort = 0;
}

const struct mapping *recorded_life_find(
	const struct recorded_life *life, uint64_t time, uint64_t address)
{
	bool ambiguous;

	time = recorded_time(life->recording, time);
	if (!time)
		return maps_find(&life->maps, address);
	const struct history_span *span = history_at(&life->history, address, time, &ambiguous);
	if (!span || !ambiguous)
		return span ? &life->mappings.data[span->item] : NULL;
	/* between two reads of /proc: as uncertain as without a time */
	return maps_find(&life->maps, address);
}

/* Returns when the process exited, else when its ID was reused or the recording ends (ns). */
static uint64_t end_of(const struct recorded_life *life)
{
	const struct recorded_row *events;
	size_t n = recording_rows(life->recording, life->pid, ROW_EXIT, &events);

	for (size_t i = n; i > life->first; i--)
		if (events[i - 1].kind == ROW_EXIT &&
			(!life->until || events[i - 1].time < life->until))
			return events[i - 1].time;
	return life->until ?: life->recording->end;
}

bool recorded_life_is_sure(const struct recorded_life *life, uint64_t time)
{
	struct recording *recording = life->recording;
	uint32_t pid = life->pid;

	if (!recording->losses.len)
		return true;
	time = recorded_time(recording, time) ?: end_of(life);
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

const char *recorded_life_comm(const struct recorded_life *life, uint64_t time)
{
	time = recorded_time(life->recording, time);
	size_t n = time ? sorted_count(life->comms.data, life->comms.len, .time <= time)
			: life->comms.len;

	return life->comms.len ? life->comms.data[n ? n - 1 : 0].comm : NULL;
}

void recorded_file_stamp(struct recorded_file *file, const struct stat *st)
{
	file->size = (uint64_t)st->st_size;
	file->mtime = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	file->ctime = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;
}

bool recorded_file_was(int64_t ctime, uint64_t seen, uint64_t time, int64_t slack)
{
	uint64_t since_boot = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);

	return ctime > 0 && time <= seen && ctime < (int64_t)(time + since_boot) + slack;
}

bool recorded_life_is_file(
	const struct recorded_life *life, const struct mapping *mapping, const struct stat *st)
{
	const struct recorded_file *file = mapping->file;
	struct recorded_file now;

	if (life->recording->foreign || !file)
		return false;
	/* files whose build ID came from the kernel were not examined */
	if (!file->size)
		return file->build_id.len > 0;
	recorded_file_stamp(&now, st);
	return file->size == now.size && file->mtime == now.mtime &&
	       (!file->ctime || file->ctime == now.ctime);
}

bool recorded_life_is_younger(const struct recorded_life *life, const struct stat *st)
{
	const struct recording *recording = life->recording;
	uint64_t since = life->begin ? life->begin : recording->begin;
	struct recorded_file now;

	recorded_file_stamp(&now, st);
	return recording->real && now.ctime < (int64_t)(since + recording->real);
}
