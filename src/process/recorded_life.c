// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recorded_life.h"

#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/order.h"
#include "util/vec.h"

/* How far back forks without exec go; the steps a recording is worth; the pieces a life is. */
enum { ANCESTORS_MAX = 32, CLOCK_TICKS = 100 /* USER_HZ, a second, on every machine but Alpha */,
	 EFFORT_MAX = 1 << 28, SPANS_MAX = 1 << 18, ENTRIES_MAX = 1 << 20 };

/* A mapping as recorded. */
struct span {
	uint64_t start, end, offset, time;
	uint32_t image, file;
};

struct builder {
	struct recording *recording;
	struct recorded_life *life;
	struct VEC(struct span) spans; /* in order of time */
	struct VEC(uint64_t) bounds;   /* of segments, ascending, unique */
};

/* A run of events that belong to one image. */
struct run {
	size_t first, end;
};

void recorded_life_destroy(struct recorded_life *life)
{
	if (!life)
		return;
	vec_deinit(&life->maps);
	vec_deinit(&life->images);
	vec_deinit(&life->segments);
	vec_deinit(&life->entries);
	free(life);
}

/* ---- events to spans ------------------------------------------------------------------------ */

static void add_image(struct recorded_life *life, struct life_image image)
{
	life->n_programs = image.program;
	vec_push(&life->images, image);
}

static void add_span(struct builder *builder, const struct recorded_event *event, uint64_t time)
{
	struct recorded_life *life = builder->life;

	if (builder->spans.len == SPANS_MAX || ++builder->recording->effort > EFFORT_MAX) {
		life->crowded = true;
		return;
	}
	if (!life->images.len)
		add_image(life, (struct life_image){.program = 1});
	vec_push(&builder->spans,
		(struct span){event->start, event->end, event->offset, time,
			(uint32_t)life->images.len - 1, event->other});
}

static bool begins_image(const struct recorded_event *event)
{
	return event->kind == RECORDED_PROC || event->kind == RECORDED_FORK ||
	       event->kind == RECORDED_EXEC;
}

/*
 * The events of the image that PID had at TIME, up to TIME. A process that was only looked at
 * later is taken to have been the same then.
 */
static bool image_at(struct recording *recording, uint32_t pid, uint64_t time, struct run *ret)
{
	const struct recorded_event *events = recording->events.data;
	size_t first, end, at;

	if (!recording_events(recording, pid, &first, &end))
		return false;
	for (at = first; at < end && events[at].time <= time; at++)
		recording->effort++;
	if (at == first && events[first].kind == RECORDED_PROC) {
		for (at = first + 1; at < end && !begins_image(&events[at]); at++)
			recording->effort++;
	}
	*ret = (struct run){first, at};
	for (size_t i = at; i > first; i--) {
		recording->effort++;
		if (begins_image(&events[i - 1])) {
			ret->first = i - 1;
			break;
		}
	}
	return at > first && recording->effort < EFFORT_MAX;
}

/* A fork's mappings are its parent's, whose may be its parent's. */
static void inherit(struct builder *builder, const struct recorded_event *fork)
{
	struct recording *recording = builder->recording;
	const struct recorded_event *events = recording->events.data, *from = fork;
	struct run runs[ANCESTORS_MAX];
	size_t n = 0;

	while (n < ANCESTORS_MAX && image_at(recording, from->other, from->time, &runs[n])) {
		from = &events[runs[n++].first];
		if (from->kind != RECORDED_FORK)
			break;
	}
	while (n--)
		for (size_t i = runs[n].first; i < runs[n].end; i++)
			if (events[i].kind == RECORDED_MAP)
				add_span(builder, &events[i], fork->time);
}

/* /proc shows the program that is known, unless another process has the pid by now. */
static uint32_t program_of(const struct recorded_life *life, const struct recorded_event *event)
{
	const struct life_image *last =
		life->images.len ? &life->images.data[life->images.len - 1] : NULL;

	if (!last)
		return 1;
	bool same = event->kind == RECORDED_PROC &&
		    (!last->started || !event->started || last->started == event->started);
	return last->program + !same;
}

static void begin_image(struct builder *builder, const struct recorded_event *event)
{
	struct recorded_life *life = builder->life;
	/* What /proc says first was so before. */
	bool before = !life->images.len && event->kind == RECORDED_PROC;

	if (builder->recording->effort < EFFORT_MAX)
		add_image(life, (struct life_image){before ? 0 : event->time, event->started,
					program_of(life, event)});
	if (event->kind == RECORDED_FORK)
		inherit(builder, event);
}

static void add_event(struct builder *builder, const struct recorded_event *event)
{
	struct recorded_life *life = builder->life;

	if (begins_image(event))
		begin_image(builder, event);
	else if (event->kind == RECORDED_MAP)
		add_span(builder, event, event->time);
	if (event->comm)
		life->comm = event->comm;
	if (event->nspid)
		life->nspid = event->nspid;
	if (event->offset && (event->kind == RECORDED_PROC || event->kind == RECORDED_MOUNTS))
		life->namespace = event->offset;
}

/* The parent's name and mount namespace, unless the process's own are known. */
static void inherit_names(struct builder *builder, const struct recorded_event *event)
{
	struct recorded_life *life = builder->life;
	const struct recorded_event *events = builder->recording->events.data;

	for (int depth = 0; event->kind == RECORDED_FORK && depth < ANCESTORS_MAX; depth++) {
		struct run run;
		size_t first, end;

		if (!image_at(builder->recording, event->other, event->time, &run) ||
			!recording_events(builder->recording, event->other, &first, &end))
			return;
		for (size_t i = run.end; i-- > first;) {
			if (!life->comm && events[i].comm)
				life->comm = events[i].comm;
			if (!life->namespace && (events[i].kind == RECORDED_PROC ||
							events[i].kind == RECORDED_MOUNTS))
				life->namespace = events[i].offset;
		}
		if (life->comm && life->namespace)
			return;
		event = &events[first];
	}
}

/* ---- spans to segments ---------------------------------------------------------------------- */

static int compare_numbers(const void *a_ptr, const void *b_ptr)
{
	const uint64_t *a = a_ptr, *b = b_ptr;

	return order_of(*a, *b);
}

static void find_bounds(struct builder *builder)
{
	size_t n = 0;

	for (size_t i = 0; i < builder->spans.len; i++) {
		vec_push(&builder->bounds, builder->spans.data[i].start);
		vec_push(&builder->bounds, builder->spans.data[i].end);
	}
	vec_sort(&builder->bounds, compare_numbers);
	for (size_t i = 0; i < builder->bounds.len; i++)
		if (!n || builder->bounds.data[i] != builder->bounds.data[n - 1])
			builder->bounds.data[n++] = builder->bounds.data[i];
	builder->bounds.len = n;
	for (size_t i = 1; i < n; i++)
		vec_push(&builder->life->segments,
			(struct life_segment){
				builder->bounds.data[i - 1], builder->bounds.data[i], 0, 0});
}

/* The segment that starts at START, a bound. */
static size_t segment_at(const struct builder *builder, uint64_t start)
{
	const uint64_t *bounds = builder->bounds.data;

	return (size_t)((const uint64_t *)bsearch(&start, bounds, builder->bounds.len,
				sizeof(*bounds), compare_numbers) -
			bounds);
}

/* Counts what each segment gets; what would be too much in all is left out, the last first. */
static void count_entries(struct builder *builder)
{
	struct recorded_life *life = builder->life;
	size_t total = 0, used = 0;

	for (; used < builder->spans.len && total < ENTRIES_MAX; used++) {
		const struct span *span = &builder->spans.data[used];

		for (size_t i = segment_at(builder, span->start);
			i < life->segments.len && life->segments.data[i].start < span->end; i++) {
			life->segments.data[i].n++;
			total++;
		}
	}
	life->crowded |= used < builder->spans.len;
	builder->spans.len = used;
	vec_reserve(&life->entries, total);
	life->entries.len = total;
	total = 0;
	for (size_t i = 0; i < life->segments.len; i++) {
		life->segments.data[i].first = total;
		total += life->segments.data[i].n;
		life->segments.data[i].n = 0;
	}
}

static void add_entries(struct builder *builder, const struct span *span)
{
	struct recorded_life *life = builder->life;
	const struct recorded_file *file = &builder->recording->files.data[span->file];

	for (size_t i = segment_at(builder, span->start);
		i < life->segments.len && life->segments.data[i].start < span->end; i++) {
		struct life_segment *segment = &life->segments.data[i];
		struct life_entry *entry = &life->entries.data[segment->first + segment->n++];

		*entry = (struct life_entry){.time = span->time, .image = span->image};
		entry->mapping = (struct mapping){
			.start = segment->start,
			.end = segment->end,
			.file_offset = span->offset + (segment->start - span->start),
			.dev_major = file->dev_major,
			.dev_minor = file->dev_minor,
			.inode = file->inode,
			.readable = true,
			.executable = true,
			.deleted = file->deleted,
			.path = file->path,
			.file = file,
			.program = life->images.data[span->image].program,
			.build_id = file->build_id.len ? &file->build_id : NULL,
		};
		/* The vdso is not cut: its size says which one it is. */
		if (!strcmp(file->path, "[vdso]") && segment->start == span->start)
			entry->mapping.end = span->end;
	}
}

static bool same_place(const struct mapping *a, const struct mapping *b)
{
	if (a->file_offset != b->file_offset)
		return false;
	if (a->path == b->path)
		return true;
	if (a->build_id || b->build_id)
		return a->build_id && b->build_id && build_id_equal(a->build_id, b->build_id);
	return !a->inode && !b->inode && !strcmp(a->path, b->path);
}

/* Without a time, a segment is what it always was, or it is in doubt. */
static void merge_segments(struct recorded_life *life)
{
	for (size_t i = 0; i < life->segments.len; i++) {
		const struct life_segment *segment = &life->segments.data[i];
		const struct life_entry *entries = &life->entries.data[segment->first];

		if (!segment->n)
			continue;
		struct mapping mapping = entries[segment->n - 1].mapping;
		for (size_t j = 0; j + 1 < segment->n && !mapping.ambiguous; j++) {
			mapping.ambiguous = !same_place(&entries[j].mapping, &mapping);
			if (entries[j].mapping.program != mapping.program)
				mapping.program = 0;
		}
		vec_push(&life->maps, mapping);
	}
}

/* ---- asking --------------------------------------------------------------------------------- */

/*
 * A process that began within the recording began then; of one that was found, /proc says when:
 * boot time, which counts suspend, as CLOCK_MONOTONIC does not.
 */
static uint64_t start_of(const struct recording *recording, const struct recorded_event *first)
{
	uint64_t second = 1000000000, ns = first->started > UINT64_MAX / second
						   ? 0
						   : first->started * (second / CLOCK_TICKS);

	if (first->kind == RECORDED_FORK)
		return first->time;
	if (first->kind != RECORDED_PROC || !ns || !recording->boottime)
		return 0;
	return ns > recording->slept ? ns - recording->slept : 0;
}

static struct recorded_life *life_create(struct recording *recording, size_t first, size_t end)
{
	struct recorded_life *life = xcalloc(1, sizeof(*life));
	struct builder builder = {.recording = recording, .life = life};
	const struct recorded_event *events = recording->events.data;

	life->recording = recording;
	life->pid = events[first].pid;
	life->started = start_of(recording, &events[first]);
	for (size_t i = first; i < end; i++)
		add_event(&builder, &events[i]);
	inherit_names(&builder, &events[first]);
	find_bounds(&builder);
	count_entries(&builder);
	for (size_t i = 0; i < builder.spans.len; i++)
		add_entries(&builder, &builder.spans.data[i]);
	merge_segments(life);
	vec_deinit(&builder.spans);
	vec_deinit(&builder.bounds);
	return life;
}

const struct recorded_life *recorded_life_of(struct recording *recording, int64_t pid)
{
	const struct recorded_event *events = recording->events.data;
	size_t first, end;
	bool added;

	if (!recording_events(recording, pid, &first, &end))
		return NULL;
	if (events[end - 1].kind == RECORDED_THREAD) {
		pid = events[end - 1].other;
		if (!recording_events(recording, pid, &first, &end) ||
			events[end - 1].kind == RECORDED_THREAD)
			return NULL;
	}
	uint64_t *index = table_at(&recording->life_by_pid, &pid, sizeof(pid), &added);
	if (added) {
		*index = recording->lives.len;
		vec_push(&recording->lives, life_create(recording, first, end));
	}
	return recording->lives.data[*index];
}

static const struct life_segment *segment_of(const struct recorded_life *life, uint64_t address)
{
	size_t i = sorted_count(life->segments.data, life->segments.len, .end <= address);

	return i < life->segments.len && life->segments.data[i].start <= address
		       ? &life->segments.data[i]
		       : NULL;
}

/* The number of images that had begun at TIME. */
static size_t images_begun(const struct recorded_life *life, uint64_t time)
{
	return sorted_count(life->images.data, life->images.len, .begin <= time);
}

static size_t entries_begun(const struct life_entry *entries, size_t n, uint64_t time)
{
	return sorted_count(entries, n, .time <= time);
}

const struct mapping *recorded_life_find(
	const struct recorded_life *life, uint64_t time, uint64_t address)
{
	const struct recording *recording = life->recording;

	if (!time || time < recording->begin || time > recording->end)
		return maps_find(&life->maps, address);
	const struct life_segment *segment = segment_of(life, address);
	size_t image = images_begun(life, time);
	if (!segment || !image)
		return NULL;
	const struct life_entry *entries = &life->entries.data[segment->first];
	size_t begun = entries_begun(entries, segment->n, time);
	/* What a look into /proc found first was there before it. */
	if (!begun && segment->n && image == 1 && !life->images.data[0].begin)
		begun = 1;
	return begun && entries[begun - 1].image == image - 1 ? &entries[begun - 1].mapping : NULL;
}

uint32_t recorded_life_program(const struct recorded_life *life, uint64_t time)
{
	size_t begun = images_begun(life, time);

	return life->images.len ? life->images.data[begun ? begun - 1 : 0].program : 1;
}

bool recorded_life_is_file(
	const struct recorded_life *life, const struct mapping *mapping, const struct stat *st)
{
	const struct recorded_file *file = mapping->file;
	int64_t mtime = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	int64_t ctime = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;

	if (life->recording->foreign || !file)
		return false;
	/* Where the kernel gave the build ID, the file was not looked at. */
	if (!file->size)
		return file->build_id.len > 0;
	return file->size == (uint64_t)st->st_size && file->mtime == mtime &&
	       (!file->ctime || file->ctime == ctime);
}
