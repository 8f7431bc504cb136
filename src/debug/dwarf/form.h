/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How attribute values are stored (DWARF 5, section 7.5; GNU's forms of split and dwz files). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/cursor.h"

/* What the size of values depends on, from the unit's header. */
struct encoding {
	uint8_t version;      /* of DWARF, 2 to 5 */
	uint8_t address_size; /* 4 or 8 */
	uint8_t offset_size;  /* 4 or 8 */
};

struct form_value {
	uint16_t form;	      /* what an indirect form led to; 0: there is no value */
	uint64_t number;      /* the value as stored; the length of a block */
	const uint8_t *bytes; /* of a block or an inline string, else NULL */
};

/* The ways to skip a value. */
enum form_shape {
	FORM_FIXED,  /* so many bytes */
	FORM_LEB,    /* a LEB128 number */
	FORM_STRING, /* up to a NUL */
	FORM_BLOCK1, /* a length of 1 byte, and so many bytes; likewise the following */
	FORM_BLOCK2,
	FORM_BLOCK4,
	FORM_BLOCK_LEB,
	FORM_INDIRECT, /* the form is in the DIE */
	FORM_UNKNOWN,
};

/* SIZE_RET is set for FORM_FIXED. */
enum form_shape form_shape(unsigned form, const struct encoding *encoding, unsigned *size_ret);
/* Skips a value of that shape; fails the cursor where it cannot. */
void form_skip(struct cursor *cursor, enum form_shape shape, const struct encoding *encoding);
/* IMPLICIT is the value in the abbreviation of DW_FORM_implicit_const. */
struct form_value form_read(
	struct cursor *cursor, unsigned form, int64_t implicit, const struct encoding *encoding);

/* A constant as an unsigned number, 0 if the value is none. */
uint64_t form_constant(const struct form_value *value);
bool form_is_constant(const struct form_value *value);
