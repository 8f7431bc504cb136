// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/unnamed.h"

#include <string.h>

#include "input/lists/addresses.h"
#include "input/roles/bpftrace_stack.h"
#include "input/roles/layout.h"
#include "input/roles/raw_columns.h"
#include "util/cleanup.h"
#include "util/text.h"
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

bool unnamed_size(size_t len)
{
	return len >= UNNAMED_SIZE_MIN;
}

static bool is_in_key(const char *name)
{
	return !strncmp(name, "key", 3);
}

/* ---- candidates ---- */

/* Returns true if a stack of KIND may begin at OFFSET, by the size of COLUMN. */
static bool has_room(const struct settler *settler, const struct byte_array *column, size_t offset,
	enum bpftrace_kind kind)
{
	size_t header = bpftrace_forms[kind].header, slots = column->len - offset - header;
	/* a bucket may follow in a plain key; elsewhere the array ends with the last slot */
	bool flat = column->is_plain_key;

	if (column->len - offset < header || offset > FLAT_MAX)
		return false;
	if (bpftrace_forms[kind].hashed)
		return settler->index->stores.len &&
		       (!slots || (flat && kind <= BPFTRACE_KERNEL_ID));
	return offset % 8 == 0 && (flat || kind != BPFTRACE_USER_RECORDS || slots % 32 == 0);
}

static void add_guesses(const struct settler *settler, struct byte_array *column, size_t offset)
{
	for (enum bpftrace_kind kind = 0; kind < BPFTRACE_KINDS; kind++) {
		if (!has_room(settler, column, offset, kind))
			continue;
		vec_push(&column->guesses, (struct guess){.offset = offset, .kind = kind});
	}
}

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

	add_guesses(settler, &column, 0);
	if (column.is_plain_key)
		for (size_t at = 1; at < column.len; at++)
			add_guesses(settler, &column, at);
	vec_push(&settler->columns, column);
}

/* Returns true if TEXT looks like a probe: a provider and its target, as in "kprobe:vfs_read". */
static bool is_probe(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && text[i] >= 'a' && text[i] <= 'z')
		i++;
	return i && i + 1 < len && text[i] == ':' && text[i + 1] != ' ';
}

/* Checks BYTES for a comm, which is printable and padded with zeros (set_task_comm()). */
static void look_comm(struct byte_array *column, const char *bytes)
{
	size_t n = raw_text_length((const uint8_t *)bytes, COMM_SIZE);

	if (n >= COMM_SIZE)
		column->comm = COMM_NONE;
	else if (n && !is_probe(bytes, n))
		column->comm = COMM_SEEN;
}

static bool is_side(const struct address_halves *halves, const struct bpftrace_stack *stack,
	size_t n, enum address_side side)
{
	for (size_t i = 0; i < n; i++)
		if (bpftrace_side(halves, load_u64(stack->slots + i * stack->slot_size)) != side)
			return false;
	return true;
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

	if (kind == BPFTRACE_USER_RECORDS)
		return true;
	return (n >= SURE_SLOTS || n == stack->room) &&
	       is_side(halves, stack, n, kind == BPFTRACE_KERNEL ? SIDE_KERNEL : SIDE_USER);
}

static bool look_guess(const struct settler *settler, const struct byte_array *column,
	const char *bytes, struct guess *guess)
{
	struct bpftrace_stack stack;
	enum bpftrace_fit fit = bpftrace_stack_read(guess->kind, settler->halves, settler->index,
		(const uint8_t *)bytes + guess->offset, column->len - guess->offset, &stack);

	if (fit == BPFTRACE_UNFIT)
		return false;
	const char *behind = (const char *)stack.slots + stack.nr * stack.slot_size;
	size_t rest = (size_t)(bytes + column->len - behind);
	guess->dirty |= stack.nr && !scan_is_zero(behind, rest < CLEAN_BYTES ? rest : CLEAN_BYTES);
	if (fit == BPFTRACE_FITS) {
		guess->fits = true;
		guess->sure |=
			!column->is_plain_key || is_sure(guess->kind, settler->halves, &stack);
	}
	return true;
}

/* Drops the guesses that BYTES exclude. */
static void look_guesses(
	const struct settler *settler, struct byte_array *column, const char *bytes)
{
	size_t kept = 0;

	vec_each(guess, &column->guesses)
		if (look_guess(settler, column, bytes, guess))
			column->guesses.data[kept++] = *guess;
	column->guesses.len = kept;
}

/*
 * Checks the array in one entry. If it has another size or type, the map is not bpftrace's. bpftool
 * prints an array of zeros as "".
 */
static void look_field(
	struct settler *settler, struct byte_array *column, const struct field *field)
{
	bool is_bytes = field->kind == FIELD_UNNAMED;

	if (is_bytes ? field->len != column->len : field->kind != FIELD_TEXT || field->len) {
		column->guesses.len = 0;
		column->comm = COMM_NONE;
	} else if (is_bytes) {
		look_guesses(settler, column, field->bytes);
		if (column->comm != COMM_NONE)
			look_comm(column, field->bytes);
	}
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
			if (map->entries.data[i].head != i && is_in_key(field->name))
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

static const struct bpftrace_form *form_of(const struct guess *guess)
{
	return &bpftrace_forms[guess->kind];
}

static bool is_stack(const struct guess *guess)
{
	return guess->fits && (guess->sure || !guess->dirty);
}

/* Returns the guess at OFFSET that is a stack of KIND, or NULL. */
static const struct guess *stack_at(
	const struct byte_array *column, size_t offset, enum bpftrace_kind kind)
{
	vec_each(guess, &column->guesses)
		if (guess->offset == offset && guess->kind == kind && is_stack(guess))
			return guess;
	return NULL;
}

/*
 * Returns true if GUESS, of user addresses, is another stack misread. Build-ID records sometimes
 * look like addresses, but never the reverse. If another stack begins at the first slot, that slot
 * is no address but its PID and probe. Beside a stack ID, which is no coincidence, there are only
 * stack IDs.
 */
static bool is_mistaken(const struct byte_array *column, const struct guess *guess)
{
	vec_each(other, &column->guesses)
		if (form_of(other)->hashed && is_stack(other) && !form_of(guess)->hashed)
			return true;
	size_t slots = guess->offset + form_of(guess)->header;

	return guess->kind == BPFTRACE_USER &&
	       (stack_at(column, guess->offset, BPFTRACE_USER_RECORDS) ||
		       stack_at(column, slots, BPFTRACE_USER) ||
		       stack_at(column, slots, BPFTRACE_USER_RECORDS));
}

static const char *name_under(struct settler *settler, const char *name, const char *last)
{
	auto_text struct text text = {};

	text_printf(&text, "%s.%s", name, last);
	return arena_string(&settler->map->memory, text.data);
}

/*
 * Keeps only the guesses that are stacks: the first one of each side. Without build-ID records, the
 * side is unknown on machines with overlapping address spaces.
 */
static void choose_guesses(struct settler *settler, struct byte_array *column)
{
	bool found[2] = {};
	size_t n = 0;

	vec_each(guess, &column->guesses) {
		bool user = form_of(guess)->user;

		if (found[user] || !is_stack(guess) || is_mistaken(column, guess))
			continue;
		found[user] = true;
		if (settler->halves->separate && guess->kind != BPFTRACE_USER_RECORDS) {
			settler->map->sideless = true;
			continue;
		}
		guess->name = name_under(settler, column->name, user ? "ustack" : "kstack");
		if (user && !settler->has_pid)
			guess->pid_name = name_under(settler, column->name, "pid");
		settler->has_pid |= user;
		*(is_in_key(column->name) ? &settler->key_stack : &settler->value_stack) = true;
		column->guesses.data[n++] = *guess;
	}
	column->guesses.len = n;
}

static bool is_comm(const struct settler *settler, const struct byte_array *column)
{
	return column->comm == COMM_SEEN && !column->guesses.len &&
	       (strchr(column->name, '.') || settler->value_stack);
}

/* Chooses the comm, unless several arrays can be it. */
static void choose_comm(struct settler *settler)
{
	struct byte_array *all = settler->columns.data;
	size_t i = only_index(at, settler->columns.len, is_comm(settler, &all[at]));

	if (i != SIZE_MAX && (settler->key_stack || settler->value_stack))
		all[i].comm_name = name_under(settler, all[i].name, "comm");
}

/* ---- rows ---- */

/* Returns a field with the used slots and, if there is room, a zero slot. */
static struct field stack_field(
	struct settler *settler, const struct bpftrace_stack *stack, const char *name)
{
	size_t len = (stack->nr + (stack->nr < stack->room)) * stack->slot_size;
	char *copy = memset(arena_alloc(&settler->bytes, len), 0, len);

	memcpy(copy, stack->slots, stack->nr * stack->slot_size);
	return (struct field){.name = name,
		.kind = stack->slot_size == 8 ? FIELD_WORDS : FIELD_BYTES,
		.bytes = copy,
		.len = len};
}

static void add_number(struct settler *settler, const char *name, uint8_t width, uint64_t number)
{
	const struct field field = {
		.name = name, .kind = FIELD_NUMBER, .width = width, .number = number};

	vec_push(&settler->fields, field);
}

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
		if (form_of(guess)->hashed)
			add_number(settler, guess->name, 8, stack.id);
		else
			vec_push(&settler->fields, stack_field(settler, &stack, guess->name));
	}
}

static struct field text_field(const struct field *field, const char *name)
{
	struct field ret = *field;

	ret.name = name;
	ret.kind = FIELD_TEXT;
	ret.len = strnlen(field->bytes, field->len);
	return ret;
}

/* Returns a field for an array that is no stack: text, words if all are zero, or bytes. */
static struct field other_field(struct settler *settler, const struct field *field)
{
	struct field ret = *field;

	ret.kind = FIELD_BYTES;
	if (!scan_is_zero(field->bytes, field->len))
		return layout_is_text((const uint8_t *)field->bytes, field->len)
			       ? text_field(field, field->name)
			       : ret;
	ret.kind = FIELD_WORDS;
	ret.len = field->len * sizeof(uint64_t);
	ret.bytes = memset(arena_alloc(&settler->bytes, ret.len), 0, ret.len);
	return ret;
}

static void add_field(struct settler *settler, const struct field *field)
{
	const struct byte_array *column = find_column(settler, field);
	struct field other = *field;

	if (column && column->guesses.len && (field->kind == FIELD_UNNAMED || !field->len)) {
		add_stacks(settler, column, field);
		return;
	}
	if (field->kind == FIELD_UNNAMED)
		other = column && column->comm_name ? text_field(field, column->comm_name)
						    : other_field(settler, field);
	/* beside a stack in the value, a plain key must not be taken for a stack ID by its name */
	else if (settler->value_stack && field->kind == FIELD_NUMBER && !strcmp(field->name, "key"))
		other.name = "key.0";
	vec_push(&settler->fields, other);
}

static void settle_row(struct settler *settler, size_t number)
{
	const struct row row = count_map_row(settler->map, number);

	settler->fields.len = 0;
	arena_clear(&settler->bytes);
	row_each(field, &row)
		add_field(settler, field);
	const struct row settled = {settler->fields.data, settler->fields.len};
	count_map_set_row(settler->map, number, &settled);
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
	choose_comm(&settler);
	map->of_bpftrace = settler.key_stack || settler.value_stack;
	struct arena unsettled = map->rows->memory;
	map->rows->memory = (struct arena){};
	count_each(i, map)
		if (map->entries.data[i].packed)
			settle_row(&settler, i);
	arena_deinit(&unsettled);
}
