/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layouts describe raw bytes as fields. They come from BTF (input/live/type.h), or from C-like
 * declarations with C's natural alignment:
 *
 *	u32 pid; s32 kernel; s32 user; char comm[16]
 *
 * Types are u8 to u64, s8 to s64 (also __u32, uint32_t and so on), C's integer types, bool, pid_t,
 * size_t, struct bpf_stack_build_id, and `struct { … } name`. char[N] is text, u64[N] an inline
 * stack, and [] at the very end takes the remaining bytes. `u32 pid@24` puts a field at an offset.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/row.h"
#include "input/wanted.h"
#include "util/error.h"
#include "util/vec.h"

#define LAYOUT_SIZE_MAX (1U << 20) /* bytes */
#define LAYOUT_FIELDS_MAX 256
#define LAYOUT_RECORD_WIDTH 32 /* sizeof(struct bpf_stack_build_id) */

struct layout_field {
	char *name; /* dotted, with the layout's prefix */
	enum field_kind kind;
	bool is_signed, rest; /* REST: declared with [] */
	bool is_sum;	/* array whose elements are added up; FIELD_NUMBER: only the sum is kept */
	bool is_chars;	/* char array by BTF; its content decides whether it is text */
	bool unnamed;	/* by BTF: an array that is the whole key or value, or an unnamed member */
	bool is_hidden; /* omitted from rows */
	uint8_t width;	/* bytes of one element */
	uint8_t bits, shift; /* bit-field: length and shift in WIDTH bytes, in bits; BITS 0: none */
	size_t offset, size; /* bytes; SIZE is 0 if REST */
};

struct layout {
	struct VEC(struct layout_field) fields;
	size_t size;   /* bytes, rounded up to the alignment as in C */
	size_t packed; /* bytes up to the end of the last field, without padding */
	bool has_rest;
};

/*
 * Parses TEXT, and adds the elements and sums of arrays that KEY_FIELDS (--key, may be NULL) names;
 * see input/wanted.h. OPTION is its name in messages; PREFIX ("key.", "") begins every field's
 * name. A syntax error is ERROR_USAGE and gives the column. Does nothing if TEXT is NULL.
 */
struct error *layout_given(const char *text, const char *option, const char *prefix,
	const char *key_fields, struct layout *ret) must_check;
/* Adds fields for elements that are WANTED, and turns arrays whose sum is WANTED into numbers. */
void layout_want(struct layout *layout, const struct wanted *wanted);
void layout_deinit(struct layout *layout);

/* Returns true if LEN is the size of LAYOUT, with or without padding; or more, if it has a rest. */
bool layout_fits(const struct layout *layout, size_t len);
/*
 * Decodes DATA into RET, which has room for layout->fields.len fields and points into DATA. Returns
 * the number of fields. Arrays are cut off at the end of DATA. Returns 0 if a number is cut off.
 */
size_t layout_decode(
	const struct layout *layout, const uint8_t *data, size_t len, struct field *ret);
/* Returns the element of FIELD at AT. Negative numbers are sign-extended. */
uint64_t layout_number(const struct layout_field *field, const uint8_t *at);
/* Returns true if BYTES are printable text, up to the first NUL, or all zero. */
bool layout_is_text(const uint8_t *bytes, size_t len);
