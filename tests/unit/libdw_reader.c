// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdw_reader.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>

#include "debug/dwarf/abbrev.h"
#include "debug/dwarf/split.h"
#include "debug/files/companions.h"
#include "debug/range_map.h"
#include "debug/source_file.h"
#include "debug/symbols/demangle.h"
#include "util/vec.h"

enum {
	CHAIN_MAX = 128,       /* deeper chains lose their innermost calls */
	DEPTH_MAX = 512,       /* deeper trees are cut; Rust's inlined closures reach about 80 */
	ORIGINS_MAX = 16,      /* abstract origin, its specification, …: usually three at most */
	CLOSURE_STEPS_MAX = 5, /* const, pointer, const: from the type of `this` to the class */
};
#define NO_INLINED UINT32_MAX

struct unit_function {
	void *die;
	uint64_t entry; /* entry point, as ELF address */
};

struct dwarf_unit {
	Dwarf_Die skeleton;   /* the unit DIE with the line table */
	Dwarf_Die die;	      /* parent of the functions; differs from SKELETON in split units */
	bool opened;	      /* the fields below are set */
	const char *comp_dir; /* NULL if unknown; owned by libdw */
	const char *detail;   /* what is missing, NULL if nothing */
	struct VEC(struct unit_function) functions;
	struct range_map map; /* values are indices into FUNCTIONS */
	Dwarf_Lines *lines;   /* NULL if none */
	size_t n_lines;
	uint64_t lines_from; /* rows below this address are mixed with those of discarded code */
};

struct libdw_reader {
	struct elf_image *image;
	const struct debug_options *options;
	struct arena *arena;
	Dwarf *dwarf;
	struct alt file; /* dwz's file */
	Dwarf *alt;	 /* DWARF of dwz's file, NULL if not needed */
	struct VEC(struct dwarf_unit) units;
	struct range_map map; /* values are indices into UNITS */
	struct table paths;   /* (address of the directory, of the path) → path to print */
	/* DIEs and ranges that may still be read: many DIEs can refer to one long list */
	uint64_t budget;
};

/* ---- DIEs ---- */

/* A position in a tree of DIEs. It only moves forward in the file. */
struct die_cursor {
	Dwarf_Die die;
	unsigned int depth; /* relative to the starting DIE, which has 0 */
};

/*
 * Moves from the null entry at OFFSET, which ends a list of siblings, to the next DIE after the
 * parent. Returns false at the end of the tree or of the unit: beyond that, dwarf_offdie() fails or
 * finds a DIE of another unit.
 */
static bool climb(struct die_cursor *cursor, Dwarf_Off offset)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(cursor->die.cu);
	Dwarf_Die next;

	while (cursor->depth) {
		cursor->depth--;
		if (!dwarf_offdie(dwarf, ++offset, &next) || next.cu != cursor->die.cu)
			return false;
		if (*(const unsigned char *)next.addr) {
			cursor->die = next;
			return true;
		}
	}
	return false;
}

/*
 * Moves to the next DIE in file order: with ENTER to the first child if there is one, else past the
 * children; after the last sibling, to the DIE after the parent. Returns false at the end of the
 * siblings at depth 0, or if a DIE is broken.
 */
static bool die_next(struct die_cursor *cursor, bool enter)
{
	Dwarf_Die next = {};

	if (enter && cursor->depth < DEPTH_MAX && dwarf_haschildren(&cursor->die) == 1 &&
		dwarf_child(&cursor->die, &next) == 0) {
		cursor->depth++;
		cursor->die = next;
		return true;
	}
	int end = dwarf_siblingof(&cursor->die, &next);
	if (end < 0 || !next.addr)
		return false;
	ptrdiff_t distance = (char *)next.addr - (char *)cursor->die.addr;
	if (end)
		return climb(cursor, dwarf_dieoffset(&cursor->die) + (Dwarf_Off)distance);
	cursor->die = next;
	return distance > 0;
}

struct die_attributes {
	Dwarf_Attribute name, linkage, origin, comp_dir, dwo; /* cu is NULL if absent */
};

static int collect(Dwarf_Attribute *attribute, void *context)
{
	struct die_attributes *attributes = context;

	switch (attribute->code) {
	case DW_AT_name:
		attributes->name = *attribute;
		break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		attributes->linkage = *attribute;
		break;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		attributes->origin = *attribute;
		break;
	case DW_AT_comp_dir:
		attributes->comp_dir = *attribute;
		break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		attributes->dwo = *attribute;
		break;
	}
	return DWARF_CB_OK;
}

/*
 * Reads the attributes of DIE. It must go through all of them: only then does libdw check that
 * inline strings (DW_FORM_string) end inside the unit. dwarf_formstring() does not check that.
 */
static bool read_attributes(Dwarf_Die *die, struct die_attributes *ret)
{
	*ret = (struct die_attributes){};
	return dwarf_getattrs(die, collect, ret, 0) == 1;
}

static const char *string_of(Dwarf_Attribute *attribute)
{
	return attribute->cu ? dwarf_formstring(attribute) : NULL;
}

/* Returns the value of an unsigned constant, 0 if DIE has none. */
static uint64_t die_number(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute found;
	Dwarf_Word number;

	return dwarf_attr(die, attribute, &found) && !dwarf_formudata(&found, &number) ? number : 0;
}

/* Sets the position of a lambda; see find_closure() in dwarf/names.c. */
static void find_closure(Dwarf_Die *die, struct names *names)
{
	Dwarf_Attribute link;
	Dwarf_Die at;

	if (!demangle_may_be_closure(names->linkage, names->name) ||
		!dwarf_attr_integrate(die, DW_AT_object_pointer, &link) ||
		!dwarf_formref_die(&link, &at) ||
		(!names->linkage && !demangle_is_closure_parameter(dwarf_diename(&at))))
		return;
	for (int i = 1; i < CLOSURE_STEPS_MAX; i++) {
		if (!dwarf_attr(&at, DW_AT_type, &link) || !dwarf_formref_die(&link, &at) ||
			dwarf_hasattr(&at, DW_AT_name))
			return;
		if (dwarf_tag(&at) != DW_TAG_class_type && dwarf_tag(&at) != DW_TAG_structure_type)
			continue;
		names->closure_line = (uint32_t)die_number(&at, DW_AT_decl_line);
		names->closure_column = (uint32_t)die_number(&at, DW_AT_decl_column);
		return;
	}
}

/* Sets the names of FRAME from DIE and its abstract origins and specifications. */
static void name_frame(Dwarf_Die *die, struct frame *frame)
{
	struct names names = {};
	struct die_attributes attributes;
	Dwarf_Die at = *die;

	for (int i = 0; i < ORIGINS_MAX && read_attributes(&at, &attributes); i++) {
		if (!names.name)
			names.name = string_of(&attributes.name);
		names.linkage = string_of(&attributes.linkage);
		if (names.linkage || !attributes.origin.cu ||
			!dwarf_formref_die(&attributes.origin, &at))
			break;
	}
	find_closure(die, &names);
	names_set(frame, &names);
}

/*
 * Adds the ranges of DIE to MAP with VALUE, except those at 0, 1 and -1, where linkers put
 * discarded functions. Returns the start of the first range, UINT64_MAX if there is none.
 */
static uint64_t add_ranges(struct libdw_reader *reader, Dwarf_Die *die, struct range_map *map,
	size_t value, unsigned int rank)
{
	Dwarf_Addr base, start, end;
	uint64_t first = UINT64_MAX;
	ptrdiff_t offset = 0;

	if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges))
		return first;
	while (reader->budget && (offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0) {
		reader->budget--;
		if (start <= 1 || start >= end || start >= UINT64_MAX - 1)
			continue;
		range_map_add(map, start, end, (uint32_t)value, rank);
		first = first == UINT64_MAX ? start : first;
	}
	return first;
}

/* ---- the file ---- */

/* Reads the units' ranges. */
static void read_units(struct libdw_reader *reader)
{
	Dwarf_CU *cu = NULL;
	uint8_t type;
	Dwarf_Die die;

	while (!dwarf_get_units(reader->dwarf, cu, &cu, NULL, &type, &die, NULL))
		if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
			add_ranges(reader, &die, &reader->map, reader->units.len, 0) != UINT64_MAX)
			vec_add(&reader->units)->skeleton = die;
	range_map_finish(&reader->map);
}

/*
 * Opens dwz's file if there should be one. Returns NULL on success, otherwise why it cannot be
 * opened.
 */
static const char *open_alt(struct libdw_reader *reader)
{
	const struct companions companions = {reader->image, reader->image, reader->options};
	struct alt_link link;
	const void *id = NULL;
	ssize_t len = dwelf_dwarf_gnu_debugaltlink(reader->dwarf, &link.name, &id);

	if (len <= 0)
		return NULL;
	link.id = build_id_make(id, (size_t)len);
	reader->file = alt_open(&companions, &link, reader->arena);
	if (reader->file.image)
		reader->alt = dwarf_begin_elf(reader->file.image->elf, DWARF_C_READ, NULL);
	if (!reader->alt)
		return reader->file.detail ?: "libdw cannot read the file of dwz";
	dwarf_setalt(reader->dwarf, reader->alt);
	return NULL;
}

struct libdw_reader *libdw_reader_create(struct elf_image *image,
	const struct debug_options *options, struct arena *arena, const char **detail_ret)
{
	/* relocating its sections would need libdwfl, which chooses its own section addresses */
	*detail_ret = elf_image_is_relocatable(image)
			      ? "its DWARF is not read through libdw: it is relocatable"
			      : NULL;
	if (*detail_ret || !elf_image_has_dwarf(image))
		return NULL;
	Dwarf *dwarf = dwarf_begin_elf(image->elf, DWARF_C_READ, NULL);
	if (!dwarf) {
		*detail_ret = "its DWARF cannot be read";
		return NULL;
	}
	struct libdw_reader *reader = xnew(reader);
	reader->image = image;
	reader->options = options;
	reader->arena = arena;
	reader->dwarf = dwarf;
	reader->budget = (1 << 20) + 8 * (uint64_t)image->stat.st_size;
	*detail_ret = open_alt(reader);
	if (*detail_ret) {
		libdw_reader_destroy(reader);
		return NULL;
	}
	read_units(reader);
	return reader;
}

void libdw_reader_destroy(struct libdw_reader *reader)
{
	if (!reader)
		return;
	vec_each(unit, &reader->units) {
		vec_deinit(&unit->functions);
		vec_deinit(&unit->map);
	}
	vec_deinit(&reader->units);
	vec_deinit(&reader->map);
	table_deinit(&reader->paths);
	dwarf_end(reader->dwarf);
	dwarf_end(reader->alt);
	alt_deinit(&reader->file);
	free(reader);
}

/* ---- a unit ---- */

/*
 * Finds the parent of the functions: the unit itself or, for a skeleton, the unit in its .dwo file.
 */
static void find_functions_root(struct libdw_reader *reader, struct dwarf_unit *unit)
{
	struct die_attributes attributes;
	Dwarf_Die split = {};
	uint8_t type = 0;

	read_attributes(&unit->skeleton, &attributes);
	unit->comp_dir = string_of(&attributes.comp_dir);
	if (dwarf_cu_info(unit->skeleton.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL))
		return;
	if (type != DW_UT_skeleton) {
		unit->die = unit->skeleton;
		return;
	}
	const char *name = string_of(&attributes.dwo);
	if (name && !dwarf_cu_info(unit->skeleton.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) &&
		split.addr && dwarf_tag(&split) == DW_TAG_compile_unit)
		unit->die = split;
	else
		unit->detail = arena_printf(reader->arena,
			"split debug info %s was not found, or is not of this build",
			name ?: "without a name");
}

static void read_functions(struct libdw_reader *reader, struct dwarf_unit *unit)
{
	struct die_cursor cursor = {.die = unit->die};
	bool enter = true;

	while (reader->budget && die_next(&cursor, enter) && cursor.depth) {
		int tag = dwarf_tag(&cursor.die);

		reader->budget--;
		enter = die_kind_of((uint64_t)tag) != DIE_OTHER;
		if (tag != DW_TAG_subprogram)
			continue;
		uint64_t start =
			add_ranges(reader, &cursor.die, &unit->map, unit->functions.len, 0);
		Dwarf_Addr entry;
		if (start != UINT64_MAX)
			vec_push(&unit->functions,
				(struct unit_function){cursor.die.addr,
					dwarf_entrypc(&cursor.die, &entry) ? start : entry});
	}
	range_map_finish(&unit->map);
}

/* ---- lines ---- */

/* Returns the address of row I, UINT64_MAX if it is broken. END_RET: the row ends a sequence. */
static uint64_t row_address(const struct dwarf_unit *unit, size_t i, bool *end_ret)
{
	Dwarf_Line *row = dwarf_onesrcline(unit->lines, i);
	Dwarf_Addr address;

	*end_ret = false;
	return dwarf_lineaddr(row, &address) || dwarf_lineendsequence(row, end_ret) ? UINT64_MAX
										    : address;
}

/*
 * Returns the end of the rows of discarded code, 0 if there are none. Functions that the linker
 * discarded leave sequences that begin at 0. libdw sorts the rows of all sequences into one list,
 * so that a dead sequence can reach into the rows of real code. Its end row differs from others in
 * that no range of the unit ends there.
 */
static uint64_t dead_rows_end(struct libdw_reader *reader, struct dwarf_unit *unit)
{
	struct range_map live = {};
	uint64_t dead = 0;
	bool end;

	if (!unit->n_lines || row_address(unit, 0, &end) > 1)
		return 0;
	add_ranges(reader, &unit->skeleton, &live, 0, 0);
	range_map_finish(&live);
	for (size_t i = 0; i < unit->n_lines; i++) {
		uint64_t address = row_address(unit, i, &end);
		const struct range *range = address ? range_map_find(&live, address - 1) : NULL;

		if (end && !(range && range->end == address))
			dead = address;
	}
	vec_deinit(&live);
	return dead;
}

static void read_lines(struct libdw_reader *reader, struct dwarf_unit *unit)
{
	if (dwarf_getsrclines(&unit->skeleton, &unit->lines, &unit->n_lines))
		unit->n_lines = 0;
	unit->lines_from = dead_rows_end(reader, unit);
}

/* Sets the file of FRAME to PATH. libdw calls an unknown file "???". */
static void set_file(struct libdw_reader *reader, const struct dwarf_unit *unit,
	struct frame *frame, const char *path)
{
	if (!path || !*path || *path == '?')
		return;
	const void *key[2] = {unit->comp_dir, path};
	bool added;
	uint64_t *known = table_at(&reader->paths, key, sizeof(key), &added);
	if (added)
		*known = (uintptr_t)source_path(reader->arena, unit->comp_dir, path);
	frame->file = (const char *)(uintptr_t)*known;
	if (reader->options->relative_names)
		frame->file = source_path_relative(unit->comp_dir, frame->file);
}

/* Sets the line of FRAME from the row that covers ADDRESS, if there is one. */
static void set_line(struct libdw_reader *reader, const struct dwarf_unit *unit, uint64_t address,
	struct frame *frame)
{
	int line = 0, column = 0;
	bool end = true;
	Dwarf_Addr at;
	size_t n = address < unit->lines_from
			   ? 0
			   : partition_point(i, 0, unit->n_lines,
				     !dwarf_lineaddr(dwarf_onesrcline(unit->lines, i), &at) &&
					     at <= address);
	Dwarf_Line *row = n ? dwarf_onesrcline(unit->lines, n - 1) : NULL;

	if (!row || dwarf_lineendsequence(row, &end) || end)
		return;
	dwarf_lineno(row, &line);
	dwarf_linecol(row, &column);
	dwarf_linediscriminator(row, &frame->discriminator);
	set_file(reader, unit, frame, dwarf_linesrc(row, NULL, NULL));
	frame->line = line > 0 ? (uint32_t)line : 0;
	frame->column = column > 0 ? (uint32_t)column : 0;
}

static void set_call(struct libdw_reader *reader, struct dwarf_unit *unit, Dwarf_Die *inlined,
	struct frame *caller)
{
	Dwarf_Files *files;
	size_t n;

	if (dwarf_hasattr(inlined, DW_AT_call_file) && !dwarf_getsrcfiles(&unit->die, &files, &n))
		set_file(reader, unit, caller,
			dwarf_filesrc(files, die_number(inlined, DW_AT_call_file), NULL, NULL));
	caller->line = (uint32_t)die_number(inlined, DW_AT_call_line);
	caller->column = (uint32_t)die_number(inlined, DW_AT_call_column);
}

/* ---- an address ---- */

struct inlined {
	Dwarf_Die die;
	uint32_t parent; /* index of the enclosing inlined call, NO_INLINED if the function */
	uint32_t depth;	 /* inlining depth, from 1 */
};

struct inlined_calls VEC(struct inlined);

static bool holds_inlined(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

/*
 * Returns the index of FUNCTION's innermost inlined call at ADDRESS, NO_INLINED if there is none.
 * RET receives all inlined calls.
 */
static uint32_t find_inlined(struct libdw_reader *reader, const Dwarf_Die *function,
	uint64_t address, struct inlined_calls *ret)
{
	struct die_cursor cursor = {.die = *function};
	uint32_t parents[DEPTH_MAX + 2]; /* innermost inlined call at each depth */
	struct range_map map = {};
	bool enter = true;

	parents[1] = NO_INLINED;
	while (reader->budget && die_next(&cursor, enter) && cursor.depth) {
		int tag = dwarf_tag(&cursor.die);
		uint32_t parent = parents[cursor.depth];

		reader->budget--;
		enter = holds_inlined(tag);
		if (tag == DW_TAG_inlined_subroutine) {
			uint32_t depth = parent < ret->len ? ret->data[parent].depth + 1 : 1;

			add_ranges(reader, &cursor.die, &map, ret->len, cursor.depth);
			vec_push(ret, (struct inlined){cursor.die, parent, depth});
			parent = (uint32_t)ret->len - 1;
		}
		parents[cursor.depth + 1] = parent;
	}
	range_map_finish(&map);
	const struct range *range = range_map_find(&map, address);
	uint32_t innermost = range ? range->value : NO_INLINED;
	vec_deinit(&map);
	return innermost;
}

/* Sets the frames of RET for ADDRESS in FUNCTION, except the line of the innermost one. */
static void add_frames(struct libdw_reader *reader, struct dwarf_unit *unit, Dwarf_Die *function,
	uint64_t address, struct arena *frames, struct reader_answer *ret)
{
	struct inlined_calls calls = {};
	uint32_t at = reader->options->inlines ? find_inlined(reader, function, address, &calls)
					       : NO_INLINED;
	uint32_t depth = at < calls.len ? calls.data[at].depth : 0;

	ret->has_function = true;
	reader_answer_begin(ret, 1 + (depth < CHAIN_MAX ? depth : CHAIN_MAX), frames);
	for (; at < calls.len; at = calls.data[at].parent) {
		struct inlined *call = &calls.data[at];

		if (call->depth > CHAIN_MAX)
			continue;
		struct frame *frame = &ret->frames[ret->n_frames - 1 - call->depth];
		name_frame(&call->die, frame);
		frame->inlined = true;
		set_call(reader, unit, &call->die, frame + 1);
	}
	name_frame(function, &ret->frames[ret->n_frames - 1]);
	vec_deinit(&calls);
}

static struct dwarf_unit *find_unit(struct libdw_reader *reader, uint64_t address)
{
	const struct range *range = range_map_find(&reader->map, address);
	struct dwarf_unit *unit = range ? &reader->units.data[range->value] : NULL;

	if (!unit || unit->opened)
		return unit;
	unit->opened = true;
	find_functions_root(reader, unit);
	if (unit->die.addr)
		read_functions(reader, unit);
	read_lines(reader, unit);
	return unit;
}

bool libdw_reader_find(struct libdw_reader *reader, uint64_t address, struct arena *frames,
	struct reader_answer *ret)
{
	struct dwarf_unit *unit = find_unit(reader, address);

	*ret = (struct reader_answer){};
	if (!unit)
		return false;
	ret->detail = unit->detail;
	ret->gap = unit->detail ? GAP_DWO : GAP_NONE;
	const struct range *range = range_map_find(&unit->map, address);
	if (range) {
		const struct unit_function *function = &unit->functions.data[range->value];
		Dwarf_Die die = {.addr = function->die, .cu = unit->die.cu};

		add_frames(reader, unit, &die, address, frames, ret);
		ret->entry = function->entry;
	} else {
		reader_answer_begin(ret, 1, frames);
	}
	set_line(reader, unit, address, &ret->frames[0]);
	if (address < unit->lines_from)
		ret->detail = "its line is unknown: libdw mixes in lines of discarded code";
	return true;
}
