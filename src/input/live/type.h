/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The type of a map's keys or values, flattened from BTF: the fields that bpftool would print as
 * "formatted", under the same names.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/row.h"
#include "input/wanted.h"
#include "util/text.h"
#include "util/vec.h"

#define LIVE_FIELDS_MAX 1024 /* of key or value */

struct btf;

enum live_form {
	LIVE_NUMBER,
	LIVE_CHARS,   /* an array of bytes: text, if that is what it holds */
	LIVE_WORDS,   /* an array of 8-byte numbers: perhaps a stack */
	LIVE_RECORDS, /* an array of struct bpf_stack_build_id */
	LIVE_NUMBERS, /* an array of other numbers */
};

struct live_field {
	char *name; /* dotted: "key.pid"; owned */
	enum live_form form;
	bool is_signed;
	bool unnamed;	     /* an array that is the whole, or a member without a name */
	bool is_hidden;	     /* in a row another field has its place */
	uint8_t width;	     /* bytes of one element */
	uint8_t bits, shift; /* of a bit-field: its length and place in WIDTH bytes; bits 0: none */
	size_t offset;	     /* bytes */
	size_t count;	     /* elements; a LIVE_NUMBER is the sum of them */
};

/* How the fields nest. */
enum live_mark {
	LIVE_FIELD, /* the next field */
	LIVE_OBJECT,
	LIVE_OBJECT_END,
	LIVE_ARRAY,
	LIVE_ARRAY_END,
};

struct live_step {
	enum live_mark mark;
	size_t name; /* offset in NAMES of the member's name; SIZE_MAX: it has none */
};

struct live_type {
	struct VEC(struct live_field) fields;
	struct VEC(struct live_step) steps;
	struct text names; /* NUL-terminated strings */
};

/*
 * Flattens type ID of BTF, SIZE bytes long. PREFIX ("key", "value") begins every name. What lies
 * beyond SIZE or goes too deep is left out. RET is zero-filled; no fields: BTF says nothing.
 */
void live_type_make(
	const struct btf *btf, uint32_t id, const char *prefix, size_t size, struct live_type *ret);
/*
 * Appends fields for the elements and sums that are WANTED. They come after all others and have no
 * steps: a dump is written without them.
 */
void live_type_want(struct live_type *type, const struct wanted *wanted);
void live_type_deinit(struct live_type *type);

/* Whether the bytes are a text: printable, or empty, up to the first NUL. */
bool live_chars_are_text(const uint8_t *bytes, size_t len);
/* Element I of FIELD in DATA, which is as long as the type. Negative numbers are sign-extended. */
uint64_t live_number(const struct live_field *field, const uint8_t *data, size_t i);
/*
 * The fields of DATA into RET (room for type->fields.len), as a formatted dump has them; returns how
 * many: LIVE_NUMBERS are no fields, unless they are all of the value. They point into TYPE and DATA.
 */
size_t live_type_decode(const struct live_type *type, const uint8_t *data, struct field *ret);
