/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layouts: what bytes hold, by BTF (input/live/type.h), or as C-like declarations with C's natural
 * alignment:
 *
 *	u32 pid; s32 kernel; s32 user; char comm[16]
 *
 * Types are u8 … u64, s8 … s64 (also __u32, uint32_t and so on), C's integer types, bool, pid_t,
 * size_t, struct bpf_stack_build_id, and `struct { … } name`. char[N] is text, u64[N] an inline
 * stack, [] at the very end takes the rest. `u32 pid@24` puts a field at an offset.
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
#define LAYOUT_RECORD_WIDTH 32 /* bytes of struct bpf_stack_build_id */

struct layout_field {
	char *name; /* dotted, with the layout's prefix */
	enum field_kind kind;
	bool is_signed, rest; /* REST: [] */
	bool is_sum;   /* an array whose elements add up; FIELD_NUMBER: it is nothing but the sum */
	bool is_chars; /* by BTF, which does not say whether it is a text: if the bytes are one */
	bool unnamed;  /* by BTF: an array that is the whole, or a member without a name */
	bool is_hidden;	     /* no row has it */
	uint8_t width;	     /* bytes of one element */
	uint8_t bits, shift; /* of a bit-field: its length and place in WIDTH bytes; bits 0: none */
	size_t offset, size; /* bytes; a REST has size 0 */
};

struct layout {
	struct VEC(struct layout_field) fields;
	size_t size;   /* bytes, rounded up to the alignment as C does */
	size_t packed; /* bytes up to the end of the last field */
	bool has_rest;
};

/*
 * Reads TEXT. OPTION is its name in messages, PREFIX ("key.", "") starts every field's name.
 * ERROR_USAGE with the column where it does not parse. Zero-filled is empty.
 */
struct error *layout_parse(
	const char *text, const char *option, const char *prefix, struct layout *ret) must_check;
/*
 * The same for what the user gave, TEXT; NULL: nothing, RET stays. With fields for the elements,
 * and sums of the arrays, that KEY_FIELDS (--key, may be NULL) names, see input/wanted.h.
 */
struct error *layout_given(const char *text, const char *option, const char *prefix,
	const char *key_fields, struct layout *ret) must_check;
/* Adds fields for the elements, and makes sums of the arrays, that are WANTED. */
void layout_want(struct layout *layout, const struct wanted *wanted);
void layout_deinit(struct layout *layout);

/* Whether bytes of this length are exactly what the layout describes. */
bool layout_fits(const struct layout *layout, size_t len);
/*
 * Decodes DATA into RET (room for layout->fields.len), whose fields point into DATA. Returns how many
 * there are. Arrays end where DATA ends; 0 if DATA ends before or within a number.
 */
size_t layout_decode(
	const struct layout *layout, const uint8_t *data, size_t len, struct field *ret);
/* The element of FIELD at AT. Negative numbers are sign-extended. */
uint64_t layout_number(const struct layout_field *field, const uint8_t *at);
/* Whether the bytes are a text: printable, or empty, up to the first NUL. */
bool layout_is_text(const uint8_t *bytes, size_t len);
