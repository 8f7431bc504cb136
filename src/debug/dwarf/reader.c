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

/* longer chains lose their innermost calls */
enum { CHAIN_MAX = 128 };
/* functions searched more often have all scopes read and kept */
enum { ASKED_MAX = 2 };

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
	variables_deinit(&reader->variables);
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

/*
 * Returns the innermost scope at ADDRESS. RET contains it and the scopes around it. Most functions
 * are searched once or twice, for which reading only the scopes around the address is faster.
 */
static uint32_t find_scope(struct dwarf_reader *reader, struct unit *unit,
	struct function *function, uint64_t address, const struct scopes **ret)
{
	if (!function->scopes && function->asked++ < ASKED_MAX) {
		*ret = &reader->scratch;
		return scopes_read_at(unit, function->die, address, &reader->scratch);
	}
	if (!function->scopes) {
		function->scopes = xnew(function->scopes);
		scopes_read(unit, function->die, function->scopes);
	}
	*ret = function->scopes;
	return scopes_innermost(function->scopes, address);
}

/* Finds the DIEs of the scopes at ADDRESS, innermost first. Returns their number. */
static size_t find_chain(struct dwarf_reader *reader, struct unit *unit, struct function *function,
	uint64_t address, uint64_t chain[CHAIN_MAX])
{
	const struct scopes *scopes;
	uint32_t innermost = find_scope(reader, unit, function, address, &scopes);
	size_t n = 0, stored = 0;

	for (uint32_t i = innermost; i != SCOPES_NONE; i = scopes->all.data[i].parent)
		n++;
	for (uint32_t i = innermost; i != SCOPES_NONE; i = scopes->all.data[i].parent)
		if (n-- <= CHAIN_MAX)
			chain[stored++] = scopes->all.data[i].die;
	return stored;
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
	struct unit *unit;	   /* the unit of the address, with the line table */
	struct unit *code;	   /* the unit of the functions: UNIT or its split unit */
	struct function *function; /* NULL if none */
	uint64_t chain[CHAIN_MAX]; /* DIEs of the inlined calls, innermost first */
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

static void fill_line(
	struct dwarf_reader *reader, struct unit *unit, uint64_t address, struct frame *frame)
{
	struct line_table *lines = unit_lines(reader, unit);
	struct line_row row;

	if (!lines || !lines_find(lines, reader->dwarf, address, &row))
		return;
	set_file(reader, unit, row.file, frame);
	frame->line = row.line;
	frame->column = row.column;
	frame->discriminator = row.discriminator;
}

static void fill_function(const struct found_function *found, struct reader_answer *ret)
{
	struct frame *frame = &ret->frames[ret->n_frames - 1];
	struct function *function = found->function;

	if (!function->named)
		function->names = names_read_call(found->code, function->die).names;
	function->named = true;
	names_set(frame, &function->names);
	ret->has_function = true;
	ret->entry = function->entry;
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

/*
 * Finds the function. A skeleton whose split unit is missing may have functions, too: clang writes
 * them with -fsplit-dwarf-inlining.
 */
static void find_function(
	struct dwarf_reader *reader, uint64_t address, struct found_function *found)
{
	if (found->unit->type == DW_UT_skeleton)
		found->code = splits_find(&reader->splits, found->unit);
	if (found->code)
		found->function = functions_find(found->code, address);
	if (!found->code || !found->code->abbrevs) {
		found->code = found->unit;
		found->function = functions_find(found->code, address);
	}
}

static void count_unit(
	struct dwarf_reader *reader, struct unit *unit, struct dwarf_summary *summary)
{
	uint16_t version = unit->encoding.version;

	if (unit->type != DW_UT_compile && unit->type != DW_UT_skeleton)
		return;
	unit_read_root(unit);
	if (unit->partial)
		return;
	summary->units++;
	if (!summary->oldest || version < summary->oldest)
		summary->oldest = version;
	if (version > summary->newest)
		summary->newest = version;
	if (unit->type != DW_UT_skeleton)
		return;
	summary->split++;
	if (splits_find(&reader->splits, unit))
		return;
	summary->split_missing++;
	if (!summary->missing)
		summary->missing = unit->detail;
}

void dwarf_reader_summary(struct dwarf_reader *reader, struct dwarf_summary *ret)
{
	struct dwarf_summary summary = {};
	struct alt_link link;
	struct unit *unit;

	for (size_t i = 0; !stop_asked() && (unit = units_at(reader->dwarf, i)); i++)
		count_unit(reader, unit, &summary);
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

/*
 * Returns the unit of ADDRESS: by its own ranges, or by .debug_aranges if the line table confirms
 * it.
 */
static struct unit *find_unit(struct dwarf_reader *reader, uint64_t address)
{
	struct unit *unit = units_find(reader->dwarf, address);

	if (unit)
		return unit;
	unit = units_claim(reader->dwarf, address);
	struct line_table *lines = unit ? unit_lines(reader, unit) : NULL;
	return lines && range_map_find(&lines->map, address) ? unit : NULL;
}

static bool find(struct dwarf_reader *reader, uint64_t address, struct found_function *ret)
{
	ret->unit = ret->code = find_unit(reader, address);
	ret->function = NULL;
	ret->n = 0;
	if (!ret->unit)
		return false;
	if (ret->unit != reader->last && !reader->wanted)
		sections_release(reader->dwarf->sections);
	reader->last = ret->unit;
	reader->dwarf->alt_missed = false;
	find_function(reader, address, ret);
	if (ret->function && reader->options->inlines)
		ret->n = find_chain(reader, ret->code, ret->function, address, ret->chain);
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

static uint64_t unit_start(const struct unit *unit, uint64_t address)
{
	const struct range *own = range_map_find(&unit->own, address);

	return own ? own->start : 0;
}

bool dwarf_reader_find(struct dwarf_reader *reader, uint64_t address, struct arena *frames,
	struct reader_answer *ret)
{
	struct found_function found;

	*ret = (struct reader_answer){};
	if (!find(reader, address, &found))
		return false;
	reader_answer_begin(ret, found.n + 1, frames);
	fill_inlined(reader, &found, ret);
	if (found.function)
		fill_function(&found, ret);
	else
		ret->unit_start = unit_start(found.unit, address);
	if (reader->options->lines)
		fill_line(reader, found.unit, address, &ret->frames[0]);
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
