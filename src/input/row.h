/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row of named values, from a map entry with BTF, raw bytes with a layout, a table line or an
 * event. Which of them is the pid, the stack ID or the weight is decided later, by name
 * (input/roles/roles.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/vec.h"

enum field_kind {
	FIELD_NUMBER,  /* number; negative values as two's complement, sign-extended to 64 bits */
	FIELD_TEXT,    /* bytes: up to the first NUL of a char array, or a JSON string */
	FIELD_WORDS,   /* bytes: an array of u64 in native byte order (inline stacks) */
	FIELD_NUMBERS, /* bytes: an array of numbers too narrow or too small for addresses */
	FIELD_BYTES,   /* bytes: anything else, e.g. an array of struct bpf_stack_build_id */
	/*
	 * bytes: a whole array of bytes without a name. Its kind is decided once all entries of the
	 * map are known (input/roles/unnamed.h), and replaces this one.
	 */
	FIELD_UNNAMED,
};

struct field {
	/*
	 * Dotted path without array indices: "key.pid", "value.samples", "pid". The plain scalar
	 * key or value of a map is "key" or "value". Members without a name are "key.0", "key.1", …
	 */
	const char *name;
	enum field_kind kind;
	/*
	 * In bytes. FIELD_NUMBER: size of its type (4 for an int), 0 if unknown. FIELD_BYTES: 32 if
	 * known to be an array of struct bpf_stack_build_id. With IS_SUM: size of an element.
	 */
	uint8_t width;
	bool is_sum; /* an array as the whole value: NUMBER is its sum (roles/values.h) */
	uint64_t number;
	const char *bytes; /* not NUL-terminated */
	size_t len;	   /* in bytes */
};

struct row {
	const struct field *fields;
	size_t n;
};

/* Loops over the fields of ROW. */
#define row_each(field, row) array_each(field, (row)->fields, (row)->n)

/* Returns the field called NAME, or NULL. */
static inline const struct field *row_field(const struct row *row, const char *name)
{
	row_each(field, row)
		if (!strcmp(field->name, name))
			return field;
	return NULL;
}

/* Returns the last component of FIELD's name. */
static inline const char *field_last_name(const struct field *field)
{
	const char *dot = strrchr(field->name, '.');

	return dot ? dot + 1 : field->name;
}

/* Return true if FIELD is part of a map's key or value. Fields of tables and events are neither. */
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
 * Returns the stack ID in a number. IDs are s32, so an error in a u32 field (4294967282 for
 * -EFAULT) becomes negative again. Numbers that do not fit in 32 bits are returned unchanged.
 */
static inline int64_t field_stack_id(const struct field *field)
{
	uint64_t number = field->number;

	if (number > INT32_MAX && number <= UINT32_MAX)
		return (int32_t)(uint32_t)number;
	return (int64_t)number;
}
