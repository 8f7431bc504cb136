/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Abbreviation tables (DWARF 5, section 7.5.3), prepared for skipping: the sizes and positions of
 * attributes are computed once per abbreviation rather than per DIE.
 */
#pragma once

#include <dwarf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/dwarf/cursor.h"
#include "util/table.h"
#include "util/vec.h"

/* Encodings of attribute values (DWARF 5, section 7.5; GNU's forms for split and dwz files). */

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
	FORM_UNKNOWN,
	FORM_FIXED,  /* a fixed number of bytes */
	FORM_LEB,    /* a LEB128 number */
	FORM_STRING, /* up to a NUL */
	FORM_BLOCK1, /* a length of 1 byte, then the block; likewise below */
	FORM_BLOCK2,
	FORM_BLOCK4,
	FORM_BLOCK_LEB,
	FORM_INDIRECT, /* the form is stored in the DIE */
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

/* The role of a DIE in the search for functions. */
enum die_kind {
	DIE_OTHER,
	DIE_NAMESPACE, /* contains functions */
	DIE_TYPE,      /* may contain functions in some languages */
	DIE_FUNCTION,
	DIE_BLOCK, /* part of a function */
	DIE_INLINED,
};
enum die_kind die_kind_of(uint64_t tag);

struct abbrev {
	uint32_t code;
	uint32_t first_step;  /* index into the table's STEPS, if SIZE is ABBREV_VARIES */
	const uint8_t *specs; /* attribute specifications, in .debug_abbrev */
	uint16_t tag;
	uint8_t kind; /* enum die_kind */
	bool children;
	bool has_code; /* has DW_AT_low_pc or DW_AT_ranges */
	bool has_sibling;
	/* LOW, HIGH, RANGES and ENTRY are all at fixed positions, or absent */
	bool placed;
	uint8_t sibling_size; /* size of DW_AT_sibling, in bytes */
	/* Positions and forms of DW_AT_low_pc, high_pc, ranges and entry_pc. */
	struct abbrev_place {
		uint16_t at;   /* offset in the attributes, in bytes, if PLACED */
		uint16_t form; /* 0 if the attribute is absent */
		/* size of the stored number, 1 to 8 bytes; 0 if it depends on the form */
		uint16_t size;
	} low, high, ranges, entry;
	uint16_t size; /* size of all attributes, in bytes, or ABBREV_VARIES */
	/* offset of DW_AT_sibling in the attributes, in bytes, or ABBREV_VARIES */
	uint16_t sibling_at;
};

#define ABBREV_VARIES UINT16_MAX

struct abbrev_table {
	struct VEC(struct abbrev) all;
	struct VEC(uint16_t) steps;
	bool dense;	    /* ALL[i] has code i + 1; otherwise ALL is sorted by code */
	const uint8_t *end; /* end of .debug_abbrev */
};

struct abbrev_cache {
	struct table tables; /* (offset, encoding) → address of the table, 0 if it is broken */
	struct VEC(struct abbrev_table *) owned;
	/* bytes that may still be read: in broken files, tables can share their tails */
	uint64_t budget;
};

void abbrev_cache_deinit(struct abbrev_cache *cache);
/* Returns the table at OFFSET of SECTION (the same in all calls), NULL if it is broken. */
const struct abbrev_table *abbrev_cache_get(struct abbrev_cache *cache, struct slice section,
	uint64_t offset, const struct encoding *encoding);

const struct abbrev *abbrev_search(const struct abbrev_table *table, uint64_t code);

/* Returns NULL if the table does not contain CODE. */
static inline const struct abbrev *abbrev_get(const struct abbrev_table *table, uint64_t code)
{
	if (__builtin_expect(table->dense, 1))
		return code - 1 < table->all.len ? &table->all.data[code - 1] : NULL;
	return abbrev_search(table, code);
}

/*
 * Skips the attributes of a DIE whose abbreviation has no fixed size. Returns the raw value of
 * DW_AT_sibling, 0 if there is none.
 */
uint64_t abbrev_skip_steps(const struct abbrev_table *table, const struct abbrev *abbrev,
	struct cursor *cursor, const struct encoding *encoding);

static inline void abbrev_skip(const struct abbrev_table *table, const struct abbrev *abbrev,
	struct cursor *cursor, const struct encoding *encoding)
{
	if (__builtin_expect(abbrev->size != ABBREV_VARIES, 1))
		cursor_skip(cursor, abbrev->size);
	else
		abbrev_skip_steps(table, abbrev, cursor, encoding);
}

/* An attribute specification. */
struct abbrev_spec {
	uint16_t name, form;
	int64_t implicit;
};

/*
 * Reads a specification of any size; abbrev_next_spec() handles most. Returns false at the end of
 * the list.
 */
bool abbrev_next_large_spec(struct cursor *specs, struct abbrev_spec *ret);

static inline bool abbrev_next_spec(struct cursor *specs, struct abbrev_spec *ret)
{
	const uint8_t *at = specs->at;

	if (cursor_left(specs) < 2 || (at[0] | at[1]) >= 0x80 || at[1] == DW_FORM_implicit_const)
		return abbrev_next_large_spec(specs, ret);
	*ret = (struct abbrev_spec){at[0], at[1], 0};
	specs->at += 2;
	return at[0] || at[1];
}
