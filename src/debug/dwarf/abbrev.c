// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/abbrev.h"

#include <stdlib.h>

#include "util/sort.h"

/* more than any compiler writes; limits memory to some hundred MB */
enum { BUDGET_MAX = 64 << 20 };

/* A step: enum form_shape, STEP_SIBLING or STEP_END in the upper bits, a size in the lower. */
enum { STEP_SHIFT = 12, STEP_SIZE_MAX = (1 << STEP_SHIFT) - 1, STEP_SIBLING = 15, STEP_END = 14 };

void abbrev_cache_deinit(struct abbrev_cache *cache)
{
	vec_each_value(table, &cache->owned) {
		vec_deinit(&table->all);
		vec_deinit(&table->steps);
		free(table);
	}
	vec_deinit(&cache->owned);
	table_deinit(&cache->tables);
}

bool abbrev_next_large_spec(struct cursor *specs, struct abbrev_spec *ret)
{
	uint64_t name = cursor_uleb(specs), form = cursor_uleb(specs);

	ret->implicit = form == DW_FORM_implicit_const ? cursor_sleb(specs) : 0;
	if (specs->failed || (!name && !form))
		return false;
	ret->name = name <= UINT16_MAX ? (uint16_t)name : UINT16_MAX;
	ret->form = form <= UINT16_MAX ? (uint16_t)form : UINT16_MAX;
	return true;
}

enum die_kind die_kind_of(uint64_t tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
		return DIE_NAMESPACE;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_variant_part:
	case DW_TAG_variant:
		return DIE_TYPE;
	case DW_TAG_subprogram:
		return DIE_FUNCTION;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return DIE_BLOCK;
	case DW_TAG_inlined_subroutine:
		return DIE_INLINED;
	}
	return DIE_OTHER;
}

/* Adds a step, after those for the attributes of fixed size before it, together RUN bytes. */
static void add_step(struct abbrev_table *table, unsigned run, unsigned shape, unsigned size)
{
	for (unsigned n; run; run -= n) {
		n = run < STEP_SIZE_MAX ? run : STEP_SIZE_MAX;
		vec_push(&table->steps, (uint16_t)(FORM_FIXED << STEP_SHIFT | n));
	}
	vec_push(&table->steps, (uint16_t)(shape << STEP_SHIFT | size));
}

/* Returns where the position of attribute NAME is kept, NULL if it does not describe code. */
static struct abbrev_place *place_of(struct abbrev *abbrev, uint16_t name)
{
	switch (name) {
	case DW_AT_low_pc:
		return &abbrev->low;
	case DW_AT_high_pc:
		return &abbrev->high;
	case DW_AT_ranges:
		return &abbrev->ranges;
	case DW_AT_entry_pc:
		return &abbrev->entry;
	}
	return NULL;
}

/* Reads abbreviation CODE. Returns false if it is broken. */
static bool read_abbrev(struct abbrev_table *table, struct cursor *cursor,
	const struct encoding *encoding, uint64_t code)
{
	struct abbrev abbrev = {.code = (uint32_t)code,
		.first_step = (uint32_t)table->steps.len,
		.placed = true,
		.size = ABBREV_VARIES,
		.sibling_at = ABBREV_VARIES};
	struct abbrev_spec spec;
	uint64_t tag = cursor_uleb(cursor);
	uint64_t fixed = 0;  /* total size of the attributes so far, in bytes */
	bool varies = false; /* an attribute with a variable size was among them */
	unsigned run = 0;    /* size of the last fixed attributes, not yet in a step; in bytes */

	abbrev.tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
	abbrev.kind = (uint8_t)die_kind_of(tag);
	abbrev.children = cursor_u8(cursor) != 0;
	abbrev.specs = cursor->at;
	while (abbrev_next_spec(cursor, &spec)) {
		unsigned size = 0;
		enum form_shape shape = form_shape(spec.form, encoding, &size);
		struct abbrev_place *place = place_of(&abbrev, spec.name);
		bool placed = !varies && fixed < ABBREV_VARIES;

		if (place) {
			bool inside = placed && spec.form != DW_FORM_implicit_const;
			bool is_number = shape == FORM_FIXED && size <= 8;

			abbrev.placed &= inside;
			place->at = (uint16_t)fixed;
			place->form = spec.form;
			place->size = is_number ? (uint16_t)size : 0;
		}
		if (shape == FORM_UNKNOWN)
			return false;
		if (shape != FORM_FIXED) {
			add_step(table, run, shape, 0);
			run = 0;
			varies = true;
			continue;
		}
		bool in_unit = spec.form == DW_FORM_ref1 || spec.form == DW_FORM_ref2 ||
			       spec.form == DW_FORM_ref4 || spec.form == DW_FORM_ref8;
		if (spec.name == DW_AT_sibling && in_unit && !abbrev.has_sibling) {
			add_step(table, run, STEP_SIBLING, size);
			run = 0;
			abbrev.has_sibling = true;
			abbrev.sibling_at = placed ? (uint16_t)fixed : ABBREV_VARIES;
			abbrev.sibling_size = (uint8_t)size;
		} else {
			run += size;
		}
		fixed += size;
	}
	abbrev.has_code = abbrev.low.form || abbrev.ranges.form;
	if (!varies && fixed < ABBREV_VARIES) {
		abbrev.size = (uint16_t)fixed;
		table->steps.len = abbrev.first_step;
	} else {
		add_step(table, run, STEP_END, 0);
	}
	if (cursor->failed || code > UINT32_MAX)
		return false;
	vec_push(&table->all, abbrev);
	return true;
}

COMPARE(compare_codes, struct abbrev, order_of(a->code, b->code))

const struct abbrev_table *abbrev_cache_get(struct abbrev_cache *cache, struct slice section,
	uint64_t offset, const struct encoding *encoding)
{
	uint64_t key[2] = {offset, (uint64_t)encoding->version << 16 |
					   (uint64_t)encoding->address_size << 8 |
					   encoding->offset_size};
	bool added;
	uint64_t code, *known = table_at(&cache->tables, key, sizeof(key), &added);

	if (!added)
		return (const struct abbrev_table *)(uintptr_t)*known;
	if (!cache->owned.len)
		cache->budget = section.len < BUDGET_MAX / 4 ? 4 * section.len : BUDGET_MAX;
	struct cursor cursor = cursor_at(section, offset);
	struct abbrev_table *table = xnew(table);
	const uint8_t *start = cursor.at;
	vec_push(&cache->owned, table);
	table->end = cursor.end;
	table->dense = true;
	if (cursor_left(&cursor) > cache->budget)
		cursor.end = cursor.at + cache->budget;
	/*
	 * An unknown form ends the table early: DIEs that use it cannot be read, but the
	 * abbreviations before it can.
	 */
	while ((code = cursor_uleb(&cursor)) && read_abbrev(table, &cursor, encoding, code))
		table->dense &= code == table->all.len;
	cache->budget -= (uint64_t)(cursor.at - start);
	if (!table->all.len)
		return NULL;
	if (!table->dense)
		vec_sort(&table->all, compare_codes);
	*known = (uintptr_t)table;
	return table;
}

const struct abbrev *abbrev_search(const struct abbrev_table *table, uint64_t code)
{
	size_t at = sorted_count(table->all.data, table->all.len, .code < code);

	return at < table->all.len && table->all.data[at].code == code ? &table->all.data[at]
								       : NULL;
}

uint64_t abbrev_skip_steps(const struct abbrev_table *table, const struct abbrev *abbrev,
	struct cursor *cursor, const struct encoding *encoding)
{
	const uint16_t *step = &table->steps.data[abbrev->first_step];
	uint64_t sibling = 0;

	for (;; step++) {
		unsigned shape = *step >> STEP_SHIFT, size = *step & STEP_SIZE_MAX;

		if (shape == FORM_FIXED)
			cursor_skip(cursor, size);
		else if (shape == STEP_END)
			return sibling;
		else if (shape == STEP_SIBLING)
			sibling = cursor_number(cursor, size);
		else
			form_skip(cursor, (enum form_shape)shape, encoding);
	}
}
