// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/unnamed.h"

#include <string.h>

#include "input/lists/addresses.h"
#include "input/roles/bpftrace_stack.h"
#include "input/roles/layout.h"
#include "input/roles/raw_columns.h"
#include "util/cleanup.h"
#include "util/vec.h"

enum {
	COLUMNS_MAX = 64,   /* ignore further arrays */
	FLAT_MAX = 1 << 15, /* no stack begins after this offset in a plain key, in bytes */
	COMM_SIZE = 16,	    /* TASK_COMM_LEN */
	SURE_SLOTS = 3,	    /* so many addresses in a row are no coincidence */
	/* zeros, in bytes, expected after the used slots of a stack, but not in other parts of a key */
	CLEAN_BYTES = 64,
};

/* a possible stack, not excluded by the entries seen so far */
struct guess {
	size_t offset; /* in the array, in bytes */
	enum bpftrace_kind kind;
	bool fits;		     /* an entry has a possible stack */
	bool sure;		     /* an entry has what can hardly be anything but a stack */
	bool dirty;		     /* an entry has nonzero bytes right after the used slots */
	const char *name, *pid_name; /* field names; PID_NAME NULL: no PID field is made */
};

/* an array, over all entries */
struct byte_array {
	const char *name;
	size_t len;
	bool is_plain_key;
	/* whether it is a comm in all entries: all are empty or probes; some are a comm; no */
	enum { COMM_OPEN, COMM_SEEN, COMM_NONE } comm;
	struct VEC(struct guess) guesses;
	const char *comm_name; /* field name of the comm; NULL: the array is not the comm */
};

struct settler {
	struct count_map *map;
	const struct address_halves *halves;
	const struct stack_index *index;
	struct VEC(struct byte_array) columns;
	bool key_stack, value_stack; /* there are stacks in keys; in values */
	bool has_pid; /* a PID field is made: one is enough, as all stacks of an entry share it */
	struct VEC(struct field) fields; /* fields of the new row */
	struct arena bytes;		 /* memory of FIELDS */
};

static void settler_cleanup(struct settler *settler)
{
	vec_each(column, &settler->columns)
		vec_deinit(&column->guesses);
	vec_deinit(&settler->columns);
	vec_deinit(&settler->fields);
	arena_deinit(&settler->bytes);
}

/* ---- candidates ---- */

static struct byte_array *find_column(struct settler *settler, const struct field *field)
{
	vec_each(column, &settler->columns)
		if (!strcmp(column->name, field->name))
			return column;
	return NULL;
}

static void add_column(struct settler *settler, const struct field *field)
{
	struct byte_array column = {.name = field->name,
		.len = field->len,
		.is_plain_key = !strcmp(field->name, "key"),
		.comm = field->len == COMM_SIZE ? COMM_OPEN : COMM_NONE};

	/* a bucket may follow in a plain key; elsewhere the array ends with the last slot */
	bool flat = column.is_plain_key;
	for (size_t at = 0; at < (flat ? column.len : 1) && at <= FLAT_MAX; at++)
		for (enum bpftrace_kind kind = 0; kind < BPFTRACE_KINDS; kind++) {
			const struct bpftrace_form *form = &bpftrace_forms[kind];

			if (column.len - at < form->header)
				continue;
			size_t slots = column.len - at - form->header;
			bool fits = at % 8 == 0 &&
				    (flat || kind != BPFTRACE_USER_RECORDS || slots % 32 == 0);
			if (form->hashed)
				fits = settler->index->stores.len &&
				       (!slots || (flat && kind <= BPFTRACE_KERNEL_ID));
			if (fits)
				vec_push(&column.guesses,
					(struct guess){.offset = at, .kind = kind});
		}
	vec_push(&settler->columns, column);
}

/*
 * Returns true if STACK is hardly a coincidence. A plain key with other parts may begin like a
 * stack, e.g. [pid, cpu, pointer] with CPU 1. It hardly has SURE_SLOTS addresses in a row, or as
 * many as it has room for. is_stack() also accepts stacks that are followed by zeros.
 */
static bool is_sure(enum bpftrace_kind kind, const struct address_halves *halves,
	const struct bpftrace_stack *stack)
{
	size_t n = stack->nr == stack->room || stack->nr < SURE_SLOTS ? stack->nr : SURE_SLOTS;
	enum address_side side = kind == BPFTRACE_KERNEL ? SIDE_KERNEL : SIDE_USER;

	if (kind == BPFTRACE_USER_RECORDS)
		return true;
	for (size_t i = 0; i < n; i++)
		if (bpftrace_side(halves, load_u64(stack->slots + i * stack->slot_size)) != side)
			return false;
	return n >= SURE_SLOTS || n == stack->room;
}

/* Checks the array in one entry. If it has another size or type, the map is not bpftrace's. */
static void look_field(
	const struct settler *settler, struct byte_array *column, const struct field *field)
{
	size_t kept = 0;

	if (field->kind == FIELD_TEXT && !field->len) /* bpftool prints an array of zeros as "" */
		return;
	if (field->kind != FIELD_UNNAMED || field->len != column->len) {
		column->guesses.len = 0;
		column->comm = COMM_NONE;
		return;
	}
	vec_each(guess, &column->guesses) {
		const uint8_t *bytes = (const uint8_t *)field->bytes + guess->offset;
		size_t len = field->len - guess->offset;
		struct bpftrace_stack stack;
		enum bpftrace_fit fit = bpftrace_stack_read(
			guess->kind, settler->halves, settler->index, bytes, len, &stack);

		if (fit == BPFTRACE_UNFIT)
			continue;
		const uint8_t *behind = stack.slots + stack.nr * stack.slot_size;
		size_t rest = (size_t)(bytes + len - behind);
		guess->dirty |=
			stack.nr && !scan_is_zero(behind, rest < CLEAN_BYTES ? rest : CLEAN_BYTES);
		guess->fits |= fit == BPFTRACE_FITS;
		guess->sure |=
			fit == BPFTRACE_FITS &&
			(!column->is_plain_key || is_sure(guess->kind, settler->halves, &stack));
		column->guesses.data[kept++] = *guess;
	}
	column->guesses.len = kept;
	if (column->comm == COMM_NONE)
		return;
	/* a comm is printable and padded with zeros (set_task_comm()) */
	size_t n = raw_text_length((const uint8_t *)field->bytes, COMM_SIZE);
	if (n >= COMM_SIZE)
		column->comm = COMM_NONE;
	else if (n && !bpftrace_is_probe(field->bytes, n))
		column->comm = COMM_SEEN;
}

/* Finds the columns or, if LOOK, examines their content. */
static void look_entries(struct settler *settler, bool look)
{
	const struct count_map *map = settler->map;

	count_each(i, map) {
		const struct row row = count_map_row(map, i);

		row_each(field, &row) {
			struct byte_array *column = find_column(settler, field);

			/* all CPUs have the same key */
			if (map->entries.data[i].head != i && field_in_key(field))
				continue;
			if (look && column)
				look_field(settler, column, field);
			else if (!column && field->kind == FIELD_UNNAMED &&
				 settler->columns.len < COLUMNS_MAX)
				add_column(settler, field);
		}
	}
}

/* ---- decision ---- */

static bool is_stack(const struct guess *guess)
{
	return guess->fits && (guess->sure || !guess->dirty);
}

/*
 * Returns true if GUESS, of user addresses, is another stack misread. Build-ID records sometimes
 * look like addresses, but never the reverse. If another stack begins at the first slot, that slot
 * is no address but its PID and probe. Beside a stack ID, which is no coincidence, there are only
 * stack IDs.
 */
static bool is_mistaken(const struct byte_array *column, const struct guess *guess)
{
	const struct bpftrace_form *form = &bpftrace_forms[guess->kind];

	vec_each(other, &column->guesses) {
		bool records = other->kind == BPFTRACE_USER_RECORDS;

		if (!is_stack(other))
			continue;
		if (bpftrace_forms[other->kind].hashed && !form->hashed)
			return true;
		if (guess->kind == BPFTRACE_USER &&
			((records && other->offset == guess->offset) ||
				((records || other->kind == BPFTRACE_USER) &&
					other->offset == guess->offset + form->header)))
			return true;
	}
	return false;
}

/*
 * Keeps only the guesses that are stacks: the first one of each side. Without build-ID records, the
 * side is unknown on machines with overlapping address spaces.
 */
static void choose_guesses(struct settler *settler, struct byte_array *column)
{
	struct arena *names = &settler->map->memory;
	bool found[2] = {};
	size_t n = 0;

	vec_each(guess, &column->guesses) {
		bool user = bpftrace_forms[guess->kind].user;

		if (found[user] || !is_stack(guess) || is_mistaken(column, guess))
			continue;
		found[user] = true;
		if (settler->halves->separate && guess->kind != BPFTRACE_USER_RECORDS) {
			settler->map->sideless = true;
			continue;
		}
		guess->name =
			arena_printf(names, "%s.%s", column->name, user ? "ustack" : "kstack");
		if (user && !settler->has_pid)
			guess->pid_name = arena_printf(names, "%s.pid", column->name);
		settler->has_pid |= user;
		*(!strncmp(column->name, "key", 3) ? &settler->key_stack : &settler->value_stack) =
			true;
		column->guesses.data[n++] = *guess;
	}
	column->guesses.len = n;
}

/* ---- rows ---- */

static void add_number(struct settler *settler, const char *name, uint8_t width, uint64_t number)
{
	const struct field field = {
		.name = name, .kind = FIELD_NUMBER, .width = width, .number = number};

	vec_push(&settler->fields, field);
}

/* Adds the stacks of COLUMN: the used slots of each and, if there is room, a zero slot. */
static void add_stacks(
	struct settler *settler, const struct byte_array *column, const struct field *field)
{
	vec_each(guess, &column->guesses) {
		struct bpftrace_stack stack = {
			.pid = -1, .slots = (const uint8_t *)"", .slot_size = 8, .id = UINT64_MAX};

		if (field->kind == FIELD_UNNAMED)
			bpftrace_stack_read(guess->kind, settler->halves, settler->index,
				(const uint8_t *)field->bytes + guess->offset,
				field->len - guess->offset, &stack);
		if (guess->pid_name)
			add_number(settler, guess->pid_name, 4, (uint64_t)stack.pid);
		if (bpftrace_forms[guess->kind].hashed) {
			add_number(settler, guess->name, 8, stack.id);
			continue;
		}
		size_t used = stack.nr * stack.slot_size,
		       len = used + (stack.nr < stack.room ? stack.slot_size : 0);
		char *copy = memset(arena_alloc(&settler->bytes, len), 0, len);
		memcpy(copy, stack.slots, used);
		vec_push(&settler->fields,
			(struct field){.name = guess->name,
				.kind = stack.slot_size == 8 ? FIELD_WORDS : FIELD_BYTES,
				.bytes = copy,
				.len = len});
	}
}

/*
 * Adds FIELD, or the stacks in it. An array without stacks is text, words if all are zero, or
 * bytes.
 */
static void add_field(struct settler *settler, const struct field *field)
{
	const struct byte_array *column = find_column(settler, field);
	const char *comm = column ? column->comm_name : NULL;
	struct field added = *field;

	if (column && column->guesses.len && (field->kind == FIELD_UNNAMED || !field->len)) {
		add_stacks(settler, column, field);
		return;
	}
	if (field->kind != FIELD_UNNAMED) {
		/*
		 * Beside a stack in the value, a plain key must not be taken for a stack ID by its
		 * name.
		 */
		if (settler->value_stack && field->kind == FIELD_NUMBER &&
			!strcmp(field->name, "key"))
			added.name = "key.0";
	} else if (!comm && scan_is_zero(field->bytes, field->len)) {
		added.kind = FIELD_WORDS;
		added.len = field->len * sizeof(uint64_t);
		added.bytes = memset(arena_alloc(&settler->bytes, added.len), 0, added.len);
	} else if (comm || layout_is_text((const uint8_t *)field->bytes, field->len)) {
		added.name = comm ?: field->name;
		added.kind = FIELD_TEXT;
		added.len = strnlen(field->bytes, field->len);
	} else {
		added.kind = FIELD_BYTES;
	}
	vec_push(&settler->fields, added);
}

void unnamed_settle(
	struct count_map *map, const struct address_halves *halves, const struct stack_index *index)
{
	scope_guard(settler_cleanup) struct settler settler = {
		.map = map, .halves = halves, .index = index};

	if (map->unnamed)
		look_entries(&settler, false);
	if (!settler.columns.len)
		return;
	look_entries(&settler, true);
	vec_each(column, &settler.columns)
		choose_guesses(&settler, column);
	map->of_bpftrace = settler.key_stack || settler.value_stack;
	/* the comm, unless several arrays can be it */
	struct byte_array *all = settler.columns.data;
	size_t comm = only_index(at, settler.columns.len,
		all[at].comm == COMM_SEEN && !all[at].guesses.len &&
			(strchr(all[at].name, '.') || settler.value_stack));
	if (comm != SIZE_MAX && map->of_bpftrace)
		all[comm].comm_name = arena_printf(&map->memory, "%s.comm", all[comm].name);
	struct arena unsettled = map->rows->memory;
	map->rows->memory = (struct arena){};
	count_each(i, map) {
		if (!map->entries.data[i].packed)
			continue;
		const struct row row = count_map_row(map, i);
		settler.fields.len = 0;
		arena_clear(&settler.bytes);
		row_each(field, &row)
			add_field(&settler, field);
		const struct row settled = {settler.fields.data, settler.fields.len};
		map->entries.data[i].packed = packed_rows_pack(map->rows, &settled);
	}
	arena_deinit(&unsettled);
}
