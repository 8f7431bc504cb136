/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodings of attribute values (DWARF 5, section 7.5; GNU's forms for split and dwz files). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/cursor.h"

/* The parameters in a unit's header that determine the sizes of values. */
struct encoding {
	uint8_t version;      /* DWARF version, 2 to 5 */
	uint8_t address_size; /* 4 or 8 bytes */
	uint8_t offset_size;  /* 4 or 8 bytes */
};

struct form_value {
	uint16_t form;	      /* the actual form after DW_FORM_indirect; 0 if there is no value */
	uint64_t number;      /* the value as stored, or the length of a block in bytes */
	const uint8_t *bytes; /* of a block or inline string, otherwise NULL */
};

/* How to skip a value. */
enum form_shape {
	FORM_FIXED,  /* a fixed number of bytes */
	FORM_LEB,    /* a LEB128 number */
	FORM_STRING, /* up to a NUL */
	FORM_BLOCK1, /* a length of 1 byte, then the block; likewise below */
	FORM_BLOCK2,
	FORM_BLOCK4,
	FORM_BLOCK_LEB,
	FORM_INDIRECT, /* the form is stored in the DIE */
	FORM_UNKNOWN,
};

/* Returns the shape of FORM. Sets SIZE_RET, in bytes, for FORM_FIXED only. */
enum form_shape form_shape(unsigned form, const struct encoding *encoding, unsigned *size_ret);
/* Skips a value of SHAPE, other than FORM_FIXED. Fails the cursor if SHAPE is unknown. */
void form_skip(struct cursor *cursor, enum form_shape shape, const struct encoding *encoding);
/* Reads a value. IMPLICIT is the abbreviation's value for DW_FORM_implicit_const. */
struct form_value form_read(
	struct cursor *cursor, unsigned form, int64_t implicit, const struct encoding *encoding);

/* Returns a constant as an unsigned number, 0 if VALUE is not a constant. */
uint64_t form_constant(const struct form_value *value);
bool form_is_constant(const struct form_value *value);
