// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/reader.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debug/dwarf/die.h"
#include "debug/dwarf/line_table.h"
#include "debug/source_file.h"
#include "util/cleanup.h"
#include "util/sort.h"
#include "util/stop.h"
#include "util/xalloc.h"

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
	reader->splits.companions = (struct companions){program, holder, options};
	if (alt_link_read(sections, &link))
		reader->alt = alt_open(&reader->splits.companions, &link, arena);
	reader->dwarf->alt = reader->alt.dwarf;
	return reader;
}

void dwarf_reader_add_split(struct dwarf_reader *reader, struct sections *sections)
{
	vec_push(&reader->splits.packages, splits_add(&reader->splits, sections, NULL));
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
	vec_deinit(&reader->variables);
	vec_deinit(&reader->inlined);
	table_deinit(&reader->inlined_functions);
	vec_deinit(&reader->scratch.all);
	vec_deinit(&reader->scratch.map);
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
		struct call call = names_read(found->code, found->chain[i], DW_AT_call_file);
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

struct dwarf_summary dwarf_reader_summary(struct dwarf_reader *reader)
{
	/* alt_open() found either dwz's file or what is missing */
	struct dwarf_summary summary = {.needs_alt = reader->alt.dwarf || reader->alt.detail,
		.alt_missing = reader->alt.detail};
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
	return summary;
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
	ret->n = ret->function && reader->options->inlines
			 ? scopes_find(
				   ret->code, ret->function, address, &reader->scratch, ret->chain)
			 : 0;
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
			function->names =
				names_read(found.code, function->die, DW_AT_call_file).names;
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
	if (!found.code->abbrevs) {
		ret->detail = "its function is unknown: the unit's abbreviations cannot be read";
	} else if (found.unit->type == DW_UT_skeleton && found.code == found.unit) {
		ret->detail = found.unit->detail;
		ret->gap = GAP_DWO;
	} else if (reader->dwarf->alt_missed) {
		ret->detail = reader->alt.detail;
		ret->gap = GAP_DWZ;
	}
	return true;
}

/* ---- all DIEs ------------------------------------------------------------------------------- */

/* A pass over the DIEs of all readable units. The caller sets the first two fields. */
struct die_pass {
	struct dwarf_reader *reader;
	bool types; /* with the DIEs inside types */
	size_t next_unit;
	struct unit *unit; /* the DIE's: a unit or its split one; NULL at first */
	uint64_t die;	   /* offset in .debug_info */
	struct walk walk;
};

/*
 * Goes to the next DIE that may describe code or a variable with an address. Returns NULL after the
 * last.
 */
static const struct abbrev *pass_next(struct die_pass *pass)
{
	struct walk *walk = &pass->walk;

	while (!stop_asked()) {
		if (!pass->unit || !cursor_left(&walk->cursor)) {
			struct dwarf_reader *reader = pass->reader;

			sections_release(reader->dwarf->sections);
			struct unit *unit = units_at(reader->dwarf, pass->next_unit++);
			if (!unit)
				return NULL;
			pass->unit = NULL;
			if (unit->type != DW_UT_compile && unit->type != DW_UT_skeleton)
				continue;
			unit_read_root(unit);
			if (unit->type == DW_UT_skeleton)
				unit = splits_find(&reader->splits, unit);
			if (!unit || unit->partial || !unit_read_abbrevs(unit))
				continue;
			pass->unit = unit;
			*walk = walk_from(unit, unit->first);
			continue;
		}
		pass->die = walk_offset(walk);
		const struct abbrev *abbrev = walk_begin(walk);
		if (!abbrev)
			continue;
		/* the unit DIE has all others */
		if ((abbrev->kind == DIE_TYPE && !pass->types) ||
			(abbrev->kind == DIE_OTHER && pass->die != pass->unit->first))
			walk_tree(walk, abbrev);
		else
			walk_attributes(walk, abbrev);
		return abbrev;
	}
	return NULL;
}

/* Reads the inlined calls and the names of their functions. */
static void read_inlined(struct dwarf_reader *reader)
{
	struct die_pass pass = {.reader = reader, .types = true};
	scope_guard(table_deinit) struct table known = {}; /* offset of a function → its number */
	const struct abbrev *abbrev;

	reader->inlined_read = true;
	while ((abbrev = pass_next(&pass))) {
		struct attributes attributes;
		struct form_value value;
		struct code code = {};
		struct ranges ranges;
		uint64_t origin = 0, start, end;
		uint16_t name;
		bool added;

		if (abbrev->kind != DIE_INLINED || !abbrev->has_code ||
			!attributes_begin(pass.unit, pass.die, &attributes))
			continue;
		while (attributes_next(&attributes, &name, &value))
			if (name != DW_AT_abstract_origin)
				code_take(&code, name, &value);
			else if (!unit_reference(pass.unit, &value, &origin))
				origin = 0; /* it is in dwz's file */
		ranges_begin(&ranges, pass.unit, &code);
		if (!ranges_next(&ranges, &start, &end))
			continue;
		const uint64_t key[] = {(uintptr_t)pass.unit->dwarf, origin};
		uint64_t *function = table_at(&known, key, sizeof(key), &added);
		if (added || !origin) {
			const struct names names =
				names_read(pass.unit, pass.die, DW_AT_call_file).names;

			*function = table_number(&reader->inlined_functions, &names, sizeof(names));
		}
		vec_push(&reader->inlined, (struct inlined_code){start, (uint32_t)*function});
	}
}

void dwarf_reader_find_inlined(struct dwarf_reader *reader, const struct inlined_search *search)
{
	if (!reader->inlined_read)
		read_inlined(reader);
	const struct table *functions = &reader->inlined_functions;
	auto_free bool *wanted = xcalloc(functions->len + 1, sizeof(*wanted));
	array_each(slot, functions->slots, functions->cap) {
		struct names names;
		struct frame frame = {};

		if (!slot->key)
			continue;
		memcpy(&names, slot->key, sizeof(names));
		names_set(&frame, &names);
		wanted[slot->value] = frame_names_is(search->names, &frame, search->word);
	}
	vec_each(call, &reader->inlined)
		if (wanted[call->function])
			search->found(search->context, call->address);
}

/* Reads LOCATION of a variable in UNIT. Returns false if it is not just a fixed address. */
static bool read_location(
	const struct unit *unit, const struct form_value *location, bool big, uint64_t *ret)
{
	if (!location->bytes)
		return false;
	struct cursor cursor = {location->bytes, location->bytes + location->number, false, big};

	switch (cursor_u8(&cursor)) {
	case DW_OP_addr:
		*ret = cursor_number(&cursor, unit->encoding.address_size);
		break;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		if (!unit_indexed_address(unit, cursor_uleb(&cursor), ret))
			return false;
		break;
	default:
		return false;
	}
	/* LLVM joins variables (GlobalMerge): each is at an offset from the first. At 0, none is kept. */
	if (*ret && cursor_left(&cursor)) {
		if (cursor_u8(&cursor) != DW_OP_plus_uconst)
			return false;
		*ret += cursor_uleb(&cursor);
	}
	return !cursor.failed && !cursor_left(&cursor);
}

/* Reads the variables. No type contains some with addresses. */
static void read_variables(struct dwarf_reader *reader)
{
	struct die_pass pass = {.reader = reader};
	const struct abbrev *abbrev;
	struct attributes attributes;
	struct form_value value;
	uint16_t name;

	reader->variables_read = true;
	while ((abbrev = pass_next(&pass))) {
		struct variable variable = {.die = pass.die, .unit = pass.unit};

		if (abbrev->tag != DW_TAG_variable ||
			!attributes_begin(pass.unit, pass.die, &attributes))
			continue;
		while (attributes_next(&attributes, &name, &value))
			/* linkers move discarded variables to 0 */
			if (name == DW_AT_location &&
				read_location(pass.unit, &value, attributes.values.big,
					&variable.address) &&
				variable.address)
				vec_push(&reader->variables, variable);
	}
	radix_sort(reader->variables.data, reader->variables.len, sizeof(struct variable));
}

bool dwarf_reader_variable(struct dwarf_reader *reader, uint64_t address, struct frame *ret)
{
	/* none is kept at 0, so the per-CPU start of a vmlinux needs no reading */
	if (!address)
		return false;
	if (!reader->variables_read)
		read_variables(reader);
	size_t at = sorted_count(reader->variables.data, reader->variables.len, .address < address);
	if (at == reader->variables.len || reader->variables.data[at].address != address)
		return false;
	const struct variable *variable = &reader->variables.data[at];
	const struct call declared = names_read(variable->unit, variable->die, DW_AT_decl_file);
	names_set(ret, &declared.names);
	set_file(reader, declared.unit, declared.file, ret);
	ret->line = declared.line;
	return true;
}
