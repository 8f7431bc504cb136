// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/package.h"

/* there are eight kinds of sections, each with one column at most */
enum { COLUMNS_MAX = 16 };
/* enough: packers fill tables to two thirds at most */
enum { PROBES_MAX = 512 };

/* Returns a cursor over the next N entries of SIZE bytes, and skips them. */
static struct cursor cut(struct cursor *cursor, uint64_t n, unsigned size)
{
	struct cursor part = *cursor;

	cursor_skip(cursor, n * size);
	part.end = cursor->at;
	return part;
}

bool package_read(struct sections *sections, struct package *ret)
{
	struct cursor cursor = cursor_at(sections_get(sections, SECTION_CU_INDEX), 0);
	struct package package = {.sections = sections};
	uint32_t version = cursor_u32(&cursor);

	package.gnu = version == 2;
	package.n_columns = cursor_u32(&cursor);
	package.n_units = cursor_u32(&cursor);
	package.n_slots = cursor_u32(&cursor);
	/* in version 5, the field has 2 bytes, followed by 2 of padding */
	if (cursor.failed || (!package.gnu && (version & 0xffff) != 5) ||
		package.n_columns > COLUMNS_MAX || !package.n_slots ||
		package.n_slots & (package.n_slots - 1))
		return false;
	uint64_t cells = (uint64_t)package.n_units * package.n_columns;
	package.slots = cut(&cursor, package.n_slots, 8);
	package.rows = cut(&cursor, package.n_slots, 4);
	package.columns = cut(&cursor, package.n_columns, 4);
	package.offsets = cut(&cursor, cells, 4);
	package.sizes = cut(&cursor, cells, 4);
	if (cursor.failed)
		return false;
	*ret = package;
	return true;
}

static uint64_t entry(struct cursor table, uint64_t index, unsigned size)
{
	cursor_skip(&table, index * size);
	return cursor_number(&table, size);
}

/* Returns the row of a unit, counting from 0; UINT32_MAX if there is none. */
static uint32_t find_row(const struct package *package, uint64_t dwo_id)
{
	uint32_t mask = package->n_slots - 1;
	uint32_t slot = (uint32_t)dwo_id & mask;
	uint32_t step = ((uint32_t)(dwo_id >> 32) & mask) | 1;

	for (int i = 0; i < PROBES_MAX; i++, slot = (slot + step) & mask) {
		uint32_t row = (uint32_t)entry(package->rows, slot, 4);

		if (!row)
			break;
		if (entry(package->slots, slot, 8) == dwo_id)
			return row <= package->n_units ? row - 1 : UINT32_MAX;
	}
	return UINT32_MAX;
}

/* Returns SECTION_COUNT for sections that are not needed. */
static enum section_id column_section(const struct package *package, uint64_t column)
{
	switch (column) {
	case 1:
		return SECTION_INFO;
	case 3:
		return SECTION_ABBREV;
	case 4:
		return SECTION_LINE;
	case 6:
		return SECTION_STR_OFFSETS;
	case 8:
		return package->gnu ? SECTION_COUNT : SECTION_RNGLISTS;
	}
	return SECTION_COUNT;
}

static struct slice part_of(struct slice section, uint64_t offset, uint64_t size)
{
	if (offset > section.len || size > section.len - offset)
		return (struct slice){};
	return (struct slice){section.data + offset, size};
}

uint64_t package_places(const struct package *package)
{
	return 1 + (sections_size(package->sections, SECTION_INFO) >> 32);
}

/* Returns true if UNIT's length field matches its size. */
static bool is_whole_unit(struct slice unit)
{
	struct cursor cursor = cursor_at(unit, 0);
	uint64_t len = cursor_u32(&cursor);

	if (len == UINT32_MAX)
		len = cursor_u64(&cursor);
	return !cursor.failed && len == cursor_left(&cursor);
}

struct sections *package_unit(const struct package *package, uint64_t dwo_id, uint64_t place)
{
	uint32_t row = find_row(package, dwo_id);
	struct slice slices[SECTION_COUNT] = {};

	if (row == UINT32_MAX)
		return NULL;
	for (uint32_t i = 0; i < package->n_columns; i++) {
		uint64_t cell = (uint64_t)row * package->n_columns + i;
		enum section_id id = column_section(package, entry(package->columns, i, 4));

		uint64_t wrapped = id == SECTION_INFO ? place << 32 : 0;

		if (id != SECTION_COUNT)
			slices[id] = part_of(sections_get(package->sections, id),
				wrapped + entry(package->offsets, cell, 4),
				entry(package->sizes, cell, 4));
	}
	if (package_places(package) > 1 && !is_whole_unit(slices[SECTION_INFO]))
		return NULL;
	slices[SECTION_STR] = sections_get(package->sections, SECTION_STR);
	return slices[SECTION_INFO].len ? sections_from_slices(slices) : NULL;
}
