/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row: its named values, whatever it came from (a map entry with BTF, raw bytes
 * with a layout, a table line, an event). Which of them is the pid, the stack ID or the weight is
 * decided later, by name (input/roles/roles.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum field_kind {
	FIELD_NUMBER, /* number; negative values as two's complement, sign-extended to 64 bits */
	FIELD_TEXT,   /* bytes: up to the first NUL of a char array, or a JSON string */
	FIELD_WORDS,  /* bytes: an array of u64 in native byte order (inline stacks) */
	FIELD_NUMBERS, /* bytes: an array of numbers that are no addresses: too narrow, or too small */
	FIELD_BYTES, /* bytes: anything else, e.g. an array of struct bpf_stack_build_id */
	/*
	 * bytes: the whole of an array of bytes that has no name of its own. What it is shows when all
	 * entries of the map are there (input/roles/unnamed.h); after count_map there are none.
	 */
	FIELD_UNNAMED,
};

struct field {
	const char *name; /* dotted path without array indices: "key.pid", "value.samples", "pid";
			     the plain scalar key or value of a map is "key" or "value"; members
			     without a name are "key.0", "key.1", … */
	enum field_kind kind;
	uint8_t width; /* FIELD_NUMBER: bytes of its type if known (4 for an int), 0: unknown;
			  FIELD_BYTES: 32, known to be an array of struct bpf_stack_build_id;
			  with IS_SUM: bytes of an element */
	bool is_sum; /* an array that is all of a value: NUMBER is the sum (input/roles/value_array.h) */
	uint64_t number;
	const char *bytes; /* not NUL-terminated */
	size_t len;	   /* bytes */
};

struct row {
	const struct field *fields;
	size_t n;
};

/* The field called NAME; NULL: there is none. */
static inline const struct field *row_field(const struct row *row, const char *name)
{
	for (size_t i = 0; i < row->n; i++)
		if (!strcmp(row->fields[i].name, name))
			return &row->fields[i];
	return NULL;
}

/* The last component of FIELD's name. */
static inline const char *field_last_name(const struct field *field)
{
	const char *dot = strrchr(field->name, '.');

	return dot ? dot + 1 : field->name;
}

/* Whether FIELD is of a map's key or value, by its name. Those of rows and events are neither. */
static inline bool field_in_key(const struct field *field)
{
	return !strncmp(field->name, "key", 3) && strchr(".", field->name[3]);
}

static inline bool field_in_value(const struct field *field)
{
	return !strncmp(field->name, "value", 5) && strchr(".", field->name[5]);
}

static inline bool field_equals(const struct field *a, const struct field *b)
{
	return a->kind == b->kind && a->number == b->number && a->len == b->len &&
	       !strcmp(a->name, b->name) && (!a->len || !memcmp(a->bytes, b->bytes, a->len));
}

/*
 * The stack ID in a number: IDs are s32, so what a u32 field holds of an error (4294967282 for
 * -EFAULT) is made negative again. An ID that does not fit in 32 bits is returned as it is.
 */
static inline int64_t field_stack_id(const struct field *field)
{
	uint64_t number = field->number;

	if (number > INT32_MAX && number <= UINT32_MAX)
		return (int32_t)(uint32_t)number;
	return (int64_t)number;
}

/* Makes a number of each of N fields that is an array and all of a value: its sum. */
static inline void fields_sum_arrays(struct field *fields, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fields[i].is_sum)
			fields[i] = (struct field){.name = fields[i].name,
				.kind = FIELD_NUMBER,
				.width = sizeof(uint64_t),
				.number = fields[i].number};
}
