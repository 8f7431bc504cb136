/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Abbreviation tables (DWARF 5, section 7.5.3), prepared for skipping: what a DIE holds before and
 * after the few attributes that matter is summed up once per abbreviation, not read per DIE.
 */
#pragma once

#include <dwarf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/dwarf/cursor.h"
#include "debug/dwarf/form.h"
#include "util/table.h"
#include "util/vec.h"

/* What a DIE means to a search for functions. */
enum die_kind {
	DIE_OTHER,
	DIE_NAMESPACE, /* holds functions */
	DIE_TYPE,      /* may hold functions in some languages */
	DIE_FUNCTION,
	DIE_BLOCK, /* part of a function */
	DIE_INLINED,
};
enum die_kind die_kind_of(uint64_t tag);

struct abbrev {
	uint32_t code;
	uint32_t first_step;  /* index into the table's steps; used if size is ABBREV_VARIES */
	const uint8_t *specs; /* the attribute specifications in .debug_abbrev */
	uint16_t tag;
	uint8_t kind; /* enum die_kind */
	bool children;
	bool has_code; /* has DW_AT_low_pc or DW_AT_ranges */
	bool has_sibling;
	bool placed;	      /* low, high, ranges and entry are all at fixed places */
	uint8_t sibling_size; /* bytes of DW_AT_sibling at sibling_at */
	/* Where DW_AT_low_pc, high_pc, ranges and entry_pc are, and their forms. */
	struct abbrev_place {
		uint16_t at;   /* ABBREV_VARIES: no fixed place */
		uint16_t form; /* 0: has no such attribute */
		uint16_t size; /* 1 to 8: of the number stored there; 0: ask the form */
	} low, high, ranges, entry;
	uint16_t size;	     /* of all attributes together, or ABBREV_VARIES */
	uint16_t sibling_at; /* where DW_AT_sibling is in the attributes, or ABBREV_VARIES */
};

#define ABBREV_VARIES UINT16_MAX

struct abbrev_table {
	struct VEC(struct abbrev) all;
	struct VEC(uint16_t) steps;
	bool dense;	    /* all.data[i] has the code i + 1; else they are sorted by code */
	const uint8_t *end; /* of .debug_abbrev */
};

struct abbrev_cache {
	struct slice section;
	struct table tables; /* offset and encoding to address of table */
	struct VEC(struct abbrev_table *) owned;
	uint64_t budget; /* bytes that may still be read: broken files can share tails of tables */
	bool ready;
};

void abbrev_cache_deinit(struct abbrev_cache *cache);
/* The table at OFFSET of SECTION (always the same one), NULL if it is broken. */
const struct abbrev_table *abbrev_cache_get(struct abbrev_cache *cache, struct slice section,
	uint64_t offset, const struct encoding *encoding);

/*
 * The attribute specifications of abbreviation CODE of the table at OFFSET, without preparing the
 * table; false if it is not among the first.
 */
bool abbrev_find_specs(struct slice section, uint64_t offset, uint64_t code,
	struct cursor *specs_ret, uint16_t *tag_ret);

const struct abbrev *abbrev_search(const struct abbrev_table *table, uint64_t code);

/* NULL: the table has no such code. */
static inline const struct abbrev *abbrev_get(const struct abbrev_table *table, uint64_t code)
{
	if (__builtin_expect(table->dense, 1))
		return code - 1 < table->all.len ? &table->all.data[code - 1] : NULL;
	return abbrev_search(table, code);
}

/*
 * Skips the attributes of a DIE whose size varies. Yields the raw value of DW_AT_sibling, 0 if it
 * has none.
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

/* One attribute specification; false at the end of the list. */
struct abbrev_spec {
	uint16_t name, form;
	int64_t implicit;
};

/* Any; the one below is for most. */
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
