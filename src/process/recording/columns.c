// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/columns.h"

#include <string.h>

#include "process/recording/block.h"
#include "util/cleanup.h"
#include "util/varint.h"

enum { PAGE_BITS = 12 };
#define PAGE (1ULL << PAGE_BITS)
/* Libraries are mapped at the same distances in each process of a program; other distances are random. */
#define NEAR (1ULL << 30)

/* A mapping but for its place, in units as in the fields of struct recorded_event. */
struct map_shape {
	uint64_t file, size, offset;
	uint64_t back;	   /* 0: its place is in COLUMN_PLACES; N: from the Nth mapping back */
	uint64_t distance; /* from there; else start % 4096 */
};

static void state_deinit(struct columns_state *state)
{
	table_deinit(&state->recent_by_pid);
	vec_deinit(&state->recent);
}

static struct recent_maps *recent_of(struct columns_state *state, uint32_t pid)
{
	return vec_keyed(&state->recent, &state->recent_by_pid, &pid, sizeof(pid));
}

/* The Nth mapping back, from 1. */
static uint64_t start_back(const struct recent_maps *recent, size_t back)
{
	return recent->starts[(recent->n - back) % PLACES];
}

static size_t backs(const struct recent_maps *recent)
{
	return recent->n < PLACES ? recent->n : PLACES;
}

static void add_start(struct recent_maps *recent, uint64_t start)
{
	recent->starts[recent->n++ % PLACES] = start;
}

/* After an exec everything is elsewhere. */
static void begin_image(struct columns_state *state, const struct recorded_event *event)
{
	if (event->kind == RECORDED_PROC || event->kind == RECORDED_EXEC)
		recent_of(state, event->pid)->n = 0;
}

/* ---- writing -------------------------------------------------------------------------------- */

void recorded_columns_deinit(struct recorded_columns *columns)
{
	for (size_t i = 0; i < COLUMNS; i++)
		text_deinit(&columns->columns[i]);
	state_deinit(&columns->state);
	table_deinit(&columns->strings);
	table_deinit(&columns->shapes);
	ids_deinit(&columns->ids);
	ids_deinit(&columns->others);
}

static void add_string(struct recorded_columns *columns, enum column column, const char *s)
{
	size_t had = columns->strings.len, len = strlen(s);
	uint64_t number = table_number(&columns->strings, s, len);

	if (columns->strings.len > had) {
		varint_add(&columns->columns[COLUMN_STRINGS], len);
		text_add(&columns->columns[COLUMN_STRINGS], s, len);
	}
	varint_add(&columns->columns[column], number - 1);
}

static void find_distance(const struct recent_maps *recent, uint64_t start, struct map_shape *shape)
{
	uint64_t nearest = NEAR;

	for (size_t back = 1; back <= backs(recent); back++) {
		uint64_t distance = start - start_back(recent, back);
		uint64_t size = distance >> 63 ? -distance : distance;

		if (size >= nearest)
			continue;
		nearest = size;
		shape->back = back;
		shape->distance = distance;
	}
	if (!shape->back)
		shape->distance = start % PAGE;
}

static void add_map(struct recorded_columns *columns, const struct recorded_event *event)
{
	struct recent_maps *recent = recent_of(&columns->state, event->pid);
	struct text *shapes = &columns->columns[COLUMN_SHAPES];
	struct map_shape shape = {
		.file = event->other, .size = event->end - event->start, .offset = event->offset};
	size_t had = columns->shapes.len;

	find_distance(recent, event->start, &shape);
	add_start(recent, event->start);
	uint64_t number = table_number(&columns->shapes, &shape, sizeof(shape));
	if (columns->shapes.len > had) {
		varint_add(shapes, shape.file);
		varint_add(shapes, shape.size);
		varint_add(shapes, shape.offset);
		varint_add(shapes, shape.back);
		varint_add_signed(shapes, shape.distance);
	}
	varint_add(&columns->columns[COLUMN_MAPS], number - 1);
	if (!shape.back)
		varint_add(&columns->columns[COLUMN_PLACES], event->start >> PAGE_BITS);
}

static void add_process(struct recorded_columns *columns, const struct recorded_event *event)
{
	struct text *processes = &columns->columns[COLUMN_PROCESSES];

	if (event->kind == RECORDED_PROC)
		varint_add(processes, event->started);
	varint_add(processes, event->offset);
	if (event->kind == RECORDED_PROC)
		add_string(columns, COLUMN_PROCESSES, event->nspid ? event->nspid : "");
}

void recorded_columns_add(struct recorded_columns *columns, const struct recorded_event *event)
{
	struct columns_state *state = &columns->state;
	struct text *all = columns->columns;

	text_add_char(&all[COLUMN_KINDS], (char)event->kind);
	varint_add_signed(&all[COLUMN_PIDS], (uint64_t)event->pid - state->pid);
	varint_add_signed(&all[COLUMN_TIMES], event->time - state->time);
	state->pid = event->pid;
	state->time = event->time;
	begin_image(state, event);
	if (event->kind == RECORDED_FORK || event->kind == RECORDED_THREAD) {
		varint_add_signed(&all[COLUMN_OTHERS], (uint64_t)event->other - state->other);
		state->other = event->other;
		ids_add(&columns->others, event->other);
	}
	if (event->kind == RECORDED_PROC || event->kind == RECORDED_EXEC ||
		event->kind == RECORDED_COMM)
		add_string(columns, COLUMN_COMMS, event->comm ? event->comm : "");
	if (event->kind == RECORDED_PROC || event->kind == RECORDED_MOUNTS)
		add_process(columns, event);
	if (event->kind == RECORDED_MAP)
		add_map(columns, event);
	ids_add(&columns->ids, event->pid);
	if (!columns->records++ || event->time < columns->first)
		columns->first = event->time;
}

size_t recorded_columns_bytes(const struct recorded_columns *columns)
{
	size_t bytes = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		bytes += columns->columns[i].len;
	return bytes;
}

void recorded_columns_take(
	struct recorded_columns *columns, struct text *index, struct text *unpacked)
{
	id_set_add(index, &columns->ids);
	id_set_add(index, &columns->others);
	for (size_t i = 0; i < COLUMNS; i++)
		varint_add(unpacked, columns->columns[i].len);
	for (size_t i = 0; i < COLUMNS; i++) {
		text_add(unpacked, columns->columns[i].data ? columns->columns[i].data : "",
			columns->columns[i].len);
		text_clear(&columns->columns[i]);
	}
	table_clear(&columns->strings);
	table_clear(&columns->shapes);
	table_clear(&columns->state.recent_by_pid);
	columns->state.recent.len = 0;
	columns->state.pid = columns->state.other = 0;
	columns->state.time = columns->first = 0;
	columns->records = 0;
}

/* ---- reading -------------------------------------------------------------------------------- */

struct columns_reading {
	struct scan columns[COLUMNS];
	struct columns_state state;
	struct VEC(const char *) strings;
	struct VEC(struct map_shape) shapes;
	struct recorded_block_events *ret;
	size_t records;
};

static void reading_deinit(struct columns_reading *reading)
{
	state_deinit(&reading->state);
	vec_deinit(&reading->strings);
	vec_deinit(&reading->shapes);
}

static bool read_columns(struct columns_reading *reading, struct scan all)
{
	uint64_t lengths[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++)
		if (!varint_read(&all, &lengths[i]))
			return false;
	for (size_t i = 0; i < COLUMNS; i++) {
		if (lengths[i] > scan_left(&all))
			return false;
		reading->columns[i] = (struct scan){all.at, all.at + lengths[i]};
		all.at += lengths[i];
	}
	reading->records = lengths[COLUMN_KINDS];
	return !scan_left(&all) && reading->records <= BLOCK_RECORDS_MAX;
}

static bool read_strings(struct columns_reading *reading)
{
	struct scan *s = &reading->columns[COLUMN_STRINGS];
	uint64_t len;

	while (scan_left(s)) {
		if (!varint_read(s, &len) || len > scan_left(s) ||
			reading->strings.len >= 2 * reading->records)
			return false;
		vec_push(&reading->strings, arena_copy(&reading->ret->strings, s->at, len));
		s->at += len;
	}
	return true;
}

static bool read_shapes(struct columns_reading *reading)
{
	struct scan *s = &reading->columns[COLUMN_SHAPES];
	struct map_shape shape;

	while (scan_left(s)) {
		if (reading->shapes.len >= reading->records || !varint_read(s, &shape.file) ||
			!varint_read(s, &shape.size) || !varint_read(s, &shape.offset) ||
			!varint_read(s, &shape.back) || !varint_read_signed(s, &shape.distance))
			return false;
		vec_push(&reading->shapes, shape);
	}
	return true;
}

static bool read_string(struct columns_reading *reading, enum column column, const char **ret)
{
	uint64_t number;

	if (!varint_read(&reading->columns[column], &number) || number >= reading->strings.len)
		return false;
	*ret = reading->strings.data[number];
	return true;
}

static bool read_map(struct columns_reading *reading, struct recorded_event *event)
{
	struct recent_maps *recent = recent_of(&reading->state, event->pid);
	uint64_t number, place;

	if (!varint_read(&reading->columns[COLUMN_MAPS], &number) || number >= reading->shapes.len)
		return false;
	const struct map_shape *shape = &reading->shapes.data[number];
	if (shape->back > backs(recent) || shape->file > UINT32_MAX)
		return false;
	if (shape->back)
		event->start = start_back(recent, shape->back) + shape->distance;
	else if (varint_read(&reading->columns[COLUMN_PLACES], &place) &&
		 place <= UINT64_MAX >> PAGE_BITS && shape->distance < PAGE)
		event->start = (place << PAGE_BITS) + shape->distance;
	else
		return false;
	add_start(recent, event->start);
	event->end = event->start + shape->size;
	event->offset = shape->offset;
	event->other = (uint32_t)shape->file;
	return event->start < event->end;
}

static bool read_process(struct columns_reading *reading, struct recorded_event *event)
{
	struct scan *s = &reading->columns[COLUMN_PROCESSES];

	if (event->kind == RECORDED_PROC && !varint_read(s, &event->started))
		return false;
	return varint_read(s, &event->offset) &&
	       (event->kind != RECORDED_PROC ||
		       read_string(reading, COLUMN_PROCESSES, &event->nspid));
}

static bool read_id(struct scan *s, uint32_t *last, uint32_t *ret)
{
	uint64_t difference;

	if (!varint_read_signed(s, &difference) || *last + difference > INT32_MAX)
		return false;
	*ret = *last += (uint32_t)difference;
	return true;
}

static bool read_event(struct columns_reading *reading, struct recorded_event *event)
{
	struct columns_state *state = &reading->state;
	struct scan *columns = reading->columns;
	uint64_t time;

	event->kind = (unsigned char)*columns[COLUMN_KINDS].at++;
	if (event->kind > RECORDED_EXIT ||
		!read_id(&columns[COLUMN_PIDS], &state->pid, &event->pid) ||
		!varint_read_signed(&columns[COLUMN_TIMES], &time))
		return false;
	event->time = state->time += time;
	begin_image(state, event);
	if ((event->kind == RECORDED_FORK || event->kind == RECORDED_THREAD) &&
		!read_id(&columns[COLUMN_OTHERS], &state->other, &event->other))
		return false;
	if ((event->kind == RECORDED_PROC || event->kind == RECORDED_EXEC ||
		    event->kind == RECORDED_COMM) &&
		!read_string(reading, COLUMN_COMMS, &event->comm))
		return false;
	if (event->kind == RECORDED_PROC || event->kind == RECORDED_MOUNTS)
		return read_process(reading, event);
	return event->kind != RECORDED_MAP || read_map(reading, event);
}

bool recorded_columns_read(struct scan unpacked, struct recorded_block_events *ret)
{
	scope_guard(reading_deinit) struct columns_reading reading = {.ret = ret};

	*ret = (struct recorded_block_events){};
	if (!read_columns(&reading, unpacked) || !read_strings(&reading) || !read_shapes(&reading))
		return false;
	while (scan_left(&reading.columns[COLUMN_KINDS])) {
		struct recorded_event event = {};

		if (!read_event(&reading, &event))
			return false;
		vec_push(&ret->all, event);
	}
	ret->lines = reading.columns[COLUMN_LINES];
	return true;
}

void recorded_block_events_deinit(struct recorded_block_events *events)
{
	vec_deinit(&events->all);
	arena_deinit(&events->strings);
}
