// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/abbrev.h"

#include <stdlib.h>

#include "util/cleanup.h"
#include "util/sort.h"

/* more than any compiler writes; limits memory to some hundred MB */
enum { BUDGET_MAX = 64 << 20 };

/* A step: enum form_shape, STEP_SIBLING or STEP_END in the upper bits, a size in the lower. */
enum { STEP_SHIFT = 12, STEP_SIZE_MAX = (1 << STEP_SHIFT) - 1, STEP_SIBLING = 15, STEP_END = 14 };

static void abbrev_table_destroy(struct abbrev_table *table)
{
	if (!table)
		return;
	vec_deinit(&table->all);
	vec_deinit(&table->steps);
	free(table);
}

CLEANUP_OF(abbrev_table)

void abbrev_cache_deinit(struct abbrev_cache *cache)
{
	for (size_t i = 0; i < cache->owned.len; i++)
		abbrev_table_destroy(cache->owned.data[i]);
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

/* An abbreviation under preparation. */
struct abbrev_builder {
	struct abbrev_table *table;
	struct abbrev *abbrev;
	const struct encoding *encoding;
	uint64_t fixed; /* total size of the attributes so far, in bytes */
	bool varies;	/* an attribute with a variable size was among them */
	unsigned run;	/* size of the last fixed attributes, not yet in a step; in bytes */
};

static void add_step(struct abbrev_builder *builder, unsigned shape, unsigned size)
{
	vec_push(&builder->table->steps, (uint16_t)(shape << STEP_SHIFT | size));
}

static void flush_run(struct abbrev_builder *builder)
{
	for (unsigned n; builder->run; builder->run -= n) {
		n = builder->run < STEP_SIZE_MAX ? builder->run : STEP_SIZE_MAX;
		add_step(builder, FORM_FIXED, n);
	}
}

static bool is_unit_reference(unsigned form)
{
	return form == DW_FORM_ref1 || form == DW_FORM_ref2 || form == DW_FORM_ref4 ||
	       form == DW_FORM_ref8;
}

static void add_sibling(struct abbrev_builder *builder, unsigned size)
{
	struct abbrev *abbrev = builder->abbrev;

	flush_run(builder);
	add_step(builder, STEP_SIBLING, size);
	abbrev->has_sibling = true;
	if (!builder->varies && builder->fixed < ABBREV_VARIES) {
		abbrev->sibling_at = (uint16_t)builder->fixed;
		abbrev->sibling_size = (uint8_t)size;
	}
	builder->fixed += size;
}

/*
 * Records the position of SPEC if it describes the code of a DIE. SIZE is the size of the stored
 * number, in bytes; 0 if it is not a number of fixed size.
 */
static void note_place(
	struct abbrev_builder *builder, const struct abbrev_spec *spec, unsigned size)
{
	struct abbrev *abbrev = builder->abbrev;
	bool fixed = !builder->varies && builder->fixed < ABBREV_VARIES &&
		     spec->form != DW_FORM_implicit_const;
	struct abbrev_place place = {
		fixed ? (uint16_t)builder->fixed : ABBREV_VARIES, spec->form, (uint16_t)size};

	switch (spec->name) {
	case DW_AT_low_pc:
		abbrev->low = place;
		break;
	case DW_AT_high_pc:
		abbrev->high = place;
		break;
	case DW_AT_ranges:
		abbrev->ranges = place;
		break;
	case DW_AT_entry_pc:
		abbrev->entry = place;
		break;
	}
}

static bool add_spec(struct abbrev_builder *builder, const struct abbrev_spec *spec)
{
	unsigned size = 0;
	enum form_shape shape = form_shape(spec->form, builder->encoding, &size);

	note_place(builder, spec, shape == FORM_FIXED && size <= 8 ? size : 0);
	if (shape == FORM_UNKNOWN)
		return false;
	if (shape != FORM_FIXED) {
		flush_run(builder);
		add_step(builder, shape, 0);
		builder->varies = true;
	} else if (spec->name == DW_AT_sibling && is_unit_reference(spec->form) &&
		   !builder->abbrev->has_sibling) {
		add_sibling(builder, size);
	} else {
		builder->fixed += size;
		builder->run += size;
	}
	return true;
}

/*
 * Reads the attribute specifications of BUILDER's abbreviation. Returns false if they are broken.
 */
static bool add_specs(struct abbrev_builder *builder, struct cursor *cursor)
{
	struct abbrev *abbrev = builder->abbrev;
	struct abbrev_spec spec;

	abbrev->first_step = (uint32_t)builder->table->steps.len;
	abbrev->specs = cursor->at;
	abbrev->sibling_at = abbrev->size = ABBREV_VARIES;
	while (abbrev_next_spec(cursor, &spec))
		if (!add_spec(builder, &spec))
			return false;
	abbrev->has_code = abbrev->low.form || abbrev->ranges.form;
	abbrev->placed = abbrev->low.at != ABBREV_VARIES && abbrev->high.at != ABBREV_VARIES &&
			 abbrev->ranges.at != ABBREV_VARIES && abbrev->entry.at != ABBREV_VARIES;
	if (!builder->varies && builder->fixed < ABBREV_VARIES) {
		abbrev->size = (uint16_t)builder->fixed;
		builder->table->steps.len = abbrev->first_step;
		return !cursor->failed;
	}
	flush_run(builder);
	add_step(builder, STEP_END, 0);
	return !cursor->failed;
}

static bool read_abbrev(struct abbrev_table *table, struct cursor *cursor,
	const struct encoding *encoding, uint64_t code)
{
	struct abbrev abbrev = {.code = (uint32_t)code};
	struct abbrev_builder builder = {.table = table, .abbrev = &abbrev, .encoding = encoding};
	uint64_t tag = cursor_uleb(cursor);

	abbrev.tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
	abbrev.kind = (uint8_t)die_kind_of(tag);
	abbrev.children = cursor_u8(cursor) != 0;
	if (!add_specs(&builder, cursor) || code > UINT32_MAX)
		return false;
	vec_push(&table->all, abbrev);
	return true;
}

COMPARE(compare_codes, struct abbrev, order_of(a->code, b->code))

/*
 * Reads abbreviations up to the null entry. An unknown form ends the table early: DIEs that use it
 * cannot be read, but the abbreviations before it can.
 */
static void read_table(
	struct abbrev_table *table, struct cursor *cursor, const struct encoding *encoding)
{
	uint64_t code;

	table->dense = true;
	while ((code = cursor_uleb(cursor)) && read_abbrev(table, cursor, encoding, code))
		table->dense &= code == table->all.len;
	if (!table->dense)
		vec_sort(&table->all, compare_codes);
}

const struct abbrev_table *abbrev_cache_get(struct abbrev_cache *cache, struct slice section,
	uint64_t offset, const struct encoding *encoding)
{
	uint64_t key[2] = {offset, (uint64_t)encoding->version << 16 |
					   (uint64_t)encoding->address_size << 8 |
					   encoding->offset_size};
	bool added;
	uint64_t *known = table_at(&cache->tables, key, sizeof(key), &added);

	if (!cache->ready)
		cache->budget = section.len < BUDGET_MAX / 4 ? 4 * section.len : BUDGET_MAX;
	cache->ready = true;
	if (!added)
		return (const struct abbrev_table *)(uintptr_t)*known;
	struct cursor cursor = cursor_at(section, offset);
	const uint8_t *start = cursor.at, *end = cursor.end;
	if (cursor_left(&cursor) > cache->budget)
		cursor.end = cursor.at + cache->budget;
	scope_guard(abbrev_table_cleanup) struct abbrev_table *table = xnew(table);
	table->end = end;
	read_table(table, &cursor, encoding);
	cache->budget -= (uint64_t)(cursor.at - start);
	if (!table->all.len)
		return NULL;
	*known = (uintptr_t)table;
	vec_push(&cache->owned, table);
	return take(table);
}

bool abbrev_find_specs(struct slice section, uint64_t offset, uint64_t code,
	struct cursor *specs_ret, uint16_t *tag_ret)
{
	/* bytes; gcc numbers codes by frequency, so that of the unit DIE can come late */
	enum { LOOK_MAX = 8192 };
	struct cursor cursor = cursor_at(section, offset);
	struct abbrev_spec spec;

	if (cursor_left(&cursor) > LOOK_MAX)
		cursor.end = cursor.at + LOOK_MAX;
	for (;;) {
		uint64_t found = cursor_uleb(&cursor), tag = cursor_uleb(&cursor);

		cursor_u8(&cursor);
		if (cursor.failed || !found)
			return false;
		if (found == code) {
			*specs_ret = cursor;
			specs_ret->end = section.data + section.len;
			*tag_ret = (uint16_t)tag;
			return true;
		}
		while (abbrev_next_spec(&cursor, &spec))
			;
	}
	return false;
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
