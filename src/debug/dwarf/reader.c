// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/reader.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debug/dwarf/functions.h"
#include "debug/dwarf/lines.h"
#include "debug/dwarf/names.h"
#include "debug/dwarf/scopes.h"
#include "debug/dwarf/unit.h"
#include "debug/dwarf/unit_index.h"
#include "util/cleanup.h"
#include "util/table.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* Deeper chains are cut at the innermost end. */
enum { CHAIN_MAX = 128 };
/* A function asked for more often has all of its scopes read and kept. */
enum { ASKED_MAX = 2 };

struct dwarf_reader {
	struct dwarf dwarf;
	struct unit_index index;
	const struct debug_options *options;
	struct arena *arena;
	struct table line_tables; /* offset to address of table, 0: broken */
	struct VEC(struct line_table *) owned_lines;
	struct scopes scratch; /* of one address */
};

static uint64_t section_len(struct dwarf_reader *reader, enum section_id id)
{
	return sections_size(reader->dwarf.sections, id);
}

struct dwarf_reader *dwarf_reader_create_from(
	struct sections *sections, const struct debug_options *options, struct arena *arena)
{
	struct dwarf_reader *reader = xcalloc(1, sizeof(*reader));

	reader->dwarf.sections = sections;
	reader->index.dwarf = &reader->dwarf;
	reader->options = options;
	reader->arena = arena;
	reader->dwarf.range_budget = (1 << 20) + 4 * (section_len(reader, SECTION_RANGES) +
							     section_len(reader, SECTION_RNGLISTS));
	reader->dwarf.line_budget = (1 << 20) + 2 * section_len(reader, SECTION_LINE);
	return reader;
}

struct dwarf_reader *dwarf_reader_create(const struct elf_image *image,
	const struct debug_options *options, struct arena *arena)
{
	struct sections *sections = sections_create(image, false);

	if (sections && !sections_shared(sections))
		return dwarf_reader_create_from(sections, options, arena);
	sections_destroy(sections);
	return NULL;
}

void dwarf_reader_destroy(struct dwarf_reader *reader)
{
	if (!reader)
		return;
	unit_index_deinit(&reader->index);
	for (size_t i = 0; i < reader->owned_lines.len; i++)
		lines_destroy(reader->owned_lines.data[i]);
	vec_deinit(&reader->owned_lines);
	table_deinit(&reader->line_tables);
	vec_deinit(&reader->scratch.all);
	range_map_deinit(&reader->scratch.map);
	abbrev_cache_deinit(&reader->dwarf.abbrevs);
	sections_destroy(reader->dwarf.sections);
	free(reader);
}

/* UNIT's line table, which units can share; NULL if there is none. */
static struct line_table *unit_lines(struct dwarf_reader *reader, struct unit *unit)
{
	bool added;

	if (unit->lines_read)
		return unit->lines;
	unit->lines_read = true;
	uint64_t *known = table_at(&reader->line_tables, &unit->line_offset,
		sizeof(unit->line_offset), &added);
	if (added) {
		struct line_table *table = lines_create(unit);

		if (table)
			vec_push(&reader->owned_lines, table);
		*known = (uintptr_t)table;
	}
	unit->lines = (struct line_table *)(uintptr_t)*known;
	return unit->lines;
}

/*
 * The scopes of FUNCTION, as far as ADDRESS needs them. Most functions are asked for once or
 * twice: then it is faster to read only the way down to the address.
 */
static const struct scopes *function_scopes(struct dwarf_reader *reader, struct unit *unit,
	struct function *function, uint64_t address)
{
	if (!function->scopes && function->asked++ < ASKED_MAX) {
		reader->scratch.all.len = 0;
		reader->scratch.map.len = 0;
		scopes_read(unit, function->die, address, address + 1, &reader->scratch);
		return &reader->scratch;
	}
	if (!function->scopes) {
		function->scopes = xcalloc(1, sizeof(*function->scopes));
		scopes_read(unit, function->die, 0, UINT64_MAX, function->scopes);
	}
	return function->scopes;
}

/* The DIEs of the scopes at ADDRESS, innermost first; returns how many. */
static size_t find_chain(struct dwarf_reader *reader, struct unit *unit,
	struct function *function, uint64_t address, uint64_t chain[CHAIN_MAX])
{
	const struct scopes *scopes = function_scopes(reader, unit, function, address);
	uint32_t innermost = scopes_innermost(scopes, address);
	size_t n = 0, stored = 0;

	for (uint32_t i = innermost; i != SCOPES_NONE; i = scopes->all.data[i].parent)
		n++;
	for (uint32_t i = innermost; i != SCOPES_NONE; i = scopes->all.data[i].parent)
		if (n-- <= CHAIN_MAX)
			chain[stored++] = scopes->all.data[i].die;
	return stored;
}

static void set_file(struct dwarf_reader *reader, struct unit *unit, uint64_t file,
	struct frame *frame)
{
	struct line_table *lines = unit_lines(reader, unit);

	if (lines && file != UINT64_MAX)
		frame->file = line_header_path(&lines->header, unit, file, reader->arena);
}

/* The frames of the inlined calls in CHAIN, and the places they were called from. */
static void fill_inlined(struct dwarf_reader *reader, struct unit *unit, const uint64_t *chain,
	struct libdw_answer *ret)
{
	for (size_t i = 0; i + 1 < ret->n_frames; i++) {
		struct call call = names_read_call(&reader->index, unit, chain[i]);
		struct frame *frame = &ret->frames[i], *caller = &ret->frames[i + 1];

		frame->function = call.names.name;
		frame->linkage = call.names.linkage;
		frame->inlined = true;
		if (!reader->options->lines)
			continue;
		set_file(reader, unit, call.file, caller);
		caller->line = call.line;
		caller->column = call.column;
	}
}

static void fill_line(
	struct dwarf_reader *reader, struct unit *unit, uint64_t address, struct frame *frame)
{
	struct line_table *lines = unit_lines(reader, unit);
	struct line_row row;

	if (!lines || !lines_find(lines, &reader->dwarf, address, &row))
		return;
	set_file(reader, unit, row.file, frame);
	frame->line = row.line;
	frame->column = row.column;
	frame->discriminator = row.discriminator;
}

static void fill_function(struct dwarf_reader *reader, struct unit *unit,
	const struct function *function, struct libdw_answer *ret)
{
	struct frame *frame = &ret->frames[ret->n_frames - 1];
	struct names names = names_read(&reader->index, unit, function->die);

	frame->function = names.name;
	frame->linkage = names.linkage;
	ret->has_function = true;
	ret->entry = function->entry;
}

void dwarf_reader_want(struct dwarf_reader *reader, const uint64_t *addresses, size_t n)
{
	unit_index_want(&reader->index, addresses, n);
}

enum dwarf_find dwarf_reader_find(struct dwarf_reader *reader, uint64_t address,
	struct arena *frames, struct libdw_answer *ret)
{
	struct unit *unit = unit_index_find(&reader->index, address);
	uint64_t chain[CHAIN_MAX];
	size_t n = 0;

	*ret = (struct libdw_answer){};
	if (!unit)
		return DWARF_ABSENT;
	if (unit->type == DW_UT_skeleton)
		return DWARF_DECLINED;
	struct function *function = functions_find(unit, address);
	if (!unit->abbrevs)
		return DWARF_DECLINED;
	if (function && reader->options->inlines)
		n = find_chain(reader, unit, function, address, chain);
	ret->n_frames = n + 1;
	ret->frames = arena_alloc(frames, ret->n_frames * sizeof(*ret->frames));
	memset(ret->frames, 0, ret->n_frames * sizeof(*ret->frames));
	fill_inlined(reader, unit, chain, ret);
	if (function)
		fill_function(reader, unit, function, ret);
	if (reader->options->lines)
		fill_line(reader, unit, address, &ret->frames[0]);
	return DWARF_FOUND;
}
