// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/reader.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debug/dwarf/functions.h"
#include "debug/dwarf/lines.h"
#include "debug/dwarf/split.h"
#include "debug/dwarf/dwarf.h"
#include "debug/source_file.h"
#include "util/stop.h"
#include "util/table.h"
#include "util/vec.h"
#include "util/xalloc.h"

struct dwarf_reader {
	struct dwarf *dwarf;
	struct companions companions;
	struct splits splits;
	struct alt alt;
	const struct debug_options *options;
	struct arena *arena;
	struct table line_tables; /* offset → address of the table, 0 if broken */
	struct VEC(struct line_table *) owned_lines;
	struct variables variables;
	struct inlined_calls inlined;
	struct scopes scratch;	 /* scopes of one address */
	const struct unit *last; /* unit of the last search, NULL if none */
	bool wanted;		 /* dwarf_reader_want() was called */
};

struct dwarf_reader *dwarf_reader_create_from(
	struct sections *sections, const struct debug_options *options, struct arena *arena)
{
	struct dwarf_reader *reader = xnew(reader);

	reader->dwarf = dwarf_create(sections);
	reader->splits.arena = arena;
	reader->options = options;
	reader->arena = arena;
	return reader;
}

struct dwarf_reader *dwarf_reader_create(const struct elf_image *program,
	const struct elf_image *holder, const struct debug_options *options, struct arena *arena)
{
	struct sections *sections = sections_create(holder, SECTIONS_INFO);
	struct alt_link link;

	if (!sections)
		return NULL;
	struct dwarf_reader *reader = dwarf_reader_create_from(sections, options, arena);
	reader->companions = (struct companions){program, holder, options};
	reader->splits.companions = &reader->companions;
	if (alt_link_read(sections, &link))
		reader->alt = alt_open(&reader->companions, &link, arena);
	reader->dwarf->alt = reader->alt.dwarf;
	return reader;
}

void dwarf_reader_add_split(struct dwarf_reader *reader, struct sections *sections)
{
	splits_add(&reader->splits, sections);
}

void dwarf_reader_add_alt(struct dwarf_reader *reader, struct sections *sections)
{
	alt_deinit(&reader->alt);
	reader->alt = (struct alt){.dwarf = dwarf_create(sections)};
	reader->dwarf->alt = reader->alt.dwarf;
}

void dwarf_reader_destroy(struct dwarf_reader *reader)
{
	if (!reader)
		return;
	vec_destroy(&reader->owned_lines, lines_destroy);
	table_deinit(&reader->line_tables);
	vec_deinit(&reader->variables.all);
	inlined_calls_deinit(&reader->inlined);
	vec_deinit(&reader->scratch.all);
	range_map_deinit(&reader->scratch.map);
	splits_deinit(&reader->splits);
	dwarf_destroy(reader->dwarf);
	alt_deinit(&reader->alt);
	free(reader);
}

/* Returns UNIT's line table, which several units can share. NULL if there is none. */
static struct line_table *unit_lines(struct dwarf_reader *reader, struct unit *unit)
{
	bool added;

	if (unit->lines_read)
		return unit->lines;
	unit->lines_read = true;
	uint64_t *known = table_at(
		&reader->line_tables, &unit->line_offset, sizeof(unit->line_offset), &added);
	if (added) {
		struct line_table *table = lines_create(unit);

		if (table)
			vec_push(&reader->owned_lines, table);
		*known = (uintptr_t)table;
	}
	unit->lines = (struct line_table *)(uintptr_t)*known;
	return unit->lines;
}

static void set_file(
	struct dwarf_reader *reader, struct unit *unit, uint64_t file, struct frame *frame)
{
	if (unit->skeleton)
		unit = unit->skeleton;
	struct line_table *lines = unit_lines(reader, unit);
	if (lines && file != UINT64_MAX)
		frame->file = lines_path(lines, unit, file, reader->arena);
	if (reader->options->relative_names)
		frame->file = source_path_relative(unit->comp_dir, frame->file);
}

/* The function and inlined calls at an address. */
struct found_function {
	struct unit *unit;		  /* the unit of the address, with the line table */
	struct unit *code;		  /* the unit of the functions: UNIT or its split unit */
	struct function *function;	  /* NULL if none */
	uint64_t chain[SCOPES_CHAIN_MAX]; /* DIEs of the inlined calls, innermost first */
	size_t n;
};

/* Sets the frames of the inlined calls, and the call positions in their callers. */
static void fill_inlined(
	struct dwarf_reader *reader, const struct found_function *found, struct reader_answer *ret)
{
	for (size_t i = 0; i < found->n; i++) {
		struct call call = names_read_call(found->code, found->chain[i]);
		struct frame *frame = &ret->frames[i], *caller = &ret->frames[i + 1];

		names_set(frame, &call.names);
		frame->inlined = true;
		if (!reader->options->lines)
			continue;
		set_file(reader, found->unit, call.file, caller);
		caller->line = call.line;
		caller->column = call.column;
	}
}

/* Sets what prevents a better answer. */
static void set_detail(const struct dwarf_reader *reader, const struct found_function *found,
	struct reader_answer *ret)
{
	if (!found->code->abbrevs) {
		ret->detail = "its function is unknown: the unit's abbreviations cannot be read";
	} else if (found->unit->type == DW_UT_skeleton && found->code == found->unit) {
		ret->detail = found->unit->detail;
		ret->gap = GAP_DWO;
	} else if (reader->dwarf->alt_missed) {
		ret->detail = reader->alt.detail;
		ret->gap = GAP_DWZ;
	}
}

void dwarf_reader_summary(struct dwarf_reader *reader, struct dwarf_summary *ret)
{
	struct dwarf_summary summary = {};
	struct alt_link link;
	struct unit *unit;

	for (size_t i = 0; !stop_asked() && (unit = units_at(reader->dwarf, i)); i++) {
		uint16_t version = unit->encoding.version;

		if (!unit_has_code(unit))
			continue;
		summary.units++;
		if (!summary.oldest || version < summary.oldest)
			summary.oldest = version;
		if (version > summary.newest)
			summary.newest = version;
		if (unit->type != DW_UT_skeleton)
			continue;
		summary.split++;
		if (splits_find(&reader->splits, unit))
			continue;
		summary.split_missing++;
		if (!summary.missing)
			summary.missing = unit->detail;
	}
	summary.needs_alt = alt_link_read(reader->dwarf->sections, &link);
	if (summary.needs_alt && !reader->alt.dwarf)
		summary.alt_missing = reader->alt.detail;
	*ret = summary;
}

const char *dwarf_reader_refused(const struct dwarf_reader *reader)
{
	return sections_refused(reader->dwarf->sections);
}

struct fetch *dwarf_reader_fetch_failed(const struct dwarf_reader *reader)
{
	return reader->alt.fetch;
}

void dwarf_reader_want(struct dwarf_reader *reader, const uint64_t *addresses, size_t n)
{
	reader->wanted = true;
	units_want(reader->dwarf, addresses, n, reader->options->lines);
}

void dwarf_reader_order(
	struct dwarf_reader *reader, const uint64_t *addresses, size_t *which, size_t n)
{
	units_order(reader->dwarf, addresses, which, n);
}

/* Finds the unit, function and inlined calls at ADDRESS. Returns false if no unit covers it. */
static bool find(struct dwarf_reader *reader, uint64_t address, struct found_function *ret)
{
	struct unit *unit = units_find(reader->dwarf, address);

	if (!unit) {
		/* .debug_aranges alone counts only if the line table confirms it */
		unit = units_claim(reader->dwarf, address);
		struct line_table *lines = unit ? unit_lines(reader, unit) : NULL;
		if (!lines || !range_map_find(&lines->map, address))
			return false;
	}
	if (unit != reader->last && !reader->wanted)
		sections_release(reader->dwarf->sections);
	reader->last = unit;
	reader->dwarf->alt_missed = false;
	ret->unit = unit;
	ret->code = unit->type == DW_UT_skeleton ? splits_find(&reader->splits, unit) : unit;
	ret->function = ret->code ? functions_find(ret->code, address) : NULL;
	if (!ret->code || !ret->code->abbrevs) {
		/* clang writes functions into skeletons, too, with -fsplit-dwarf-inlining */
		ret->code = unit;
		ret->function = functions_find(unit, address);
	}
	ret->n = 0;
	if (ret->function && reader->options->inlines)
		ret->n = scopes_find(
			ret->code, ret->function, address, &reader->scratch, ret->chain);
	return true;
}

bool dwarf_reader_prototype(struct dwarf_reader *reader, uint64_t address, size_t frame,
	const char *name, struct text *ret)
{
	struct found_function found;

	if (!find(reader, address, &found) || !found.function || frame > found.n)
		return false;
	return prototype_read(
		found.code, frame < found.n ? found.chain[frame] : found.function->die, name, ret);
}

bool dwarf_reader_find(struct dwarf_reader *reader, uint64_t address, struct arena *frames,
	struct reader_answer *ret)
{
	struct found_function found;
	struct line_row row;

	*ret = (struct reader_answer){};
	if (!find(reader, address, &found))
		return false;
	reader_answer_begin(ret, found.n + 1, frames);
	fill_inlined(reader, &found, ret);
	struct function *function = found.function;
	const struct range *own = function ? NULL : range_map_find(&found.unit->own, address);
	if (function) {
		if (!function->named)
			function->names = names_read_call(found.code, function->die).names;
		function->named = true;
		names_set(&ret->frames[found.n], &function->names);
		ret->has_function = true;
		ret->entry = function->entry;
	} else if (own) {
		ret->unit_start = own->start;
	}
	struct line_table *lines = reader->options->lines ? unit_lines(reader, found.unit) : NULL;
	if (lines && lines_find(lines, reader->dwarf, address, &row)) {
		set_file(reader, found.unit, row.file, &ret->frames[0]);
		ret->frames[0].line = row.line;
		ret->frames[0].column = row.column;
		ret->frames[0].discriminator = row.discriminator;
	}
	set_detail(reader, &found, ret);
	return true;
}

void dwarf_reader_find_inlined(struct dwarf_reader *reader, const struct inlined_search *search)
{
	inlined_find(&reader->inlined, search, reader->dwarf, &reader->splits);
}

bool dwarf_reader_variable(struct dwarf_reader *reader, uint64_t address, struct frame *ret)
{
	struct unit *unit;
	struct call declared;

	if (!variables_find(
		    &reader->variables, reader->dwarf, &reader->splits, address, &unit, &declared))
		return false;
	names_set(ret, &declared.names);
	set_file(reader, unit, declared.file, ret);
	ret->line = declared.line;
	return true;
}
