// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/libdw/reader.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "debug/dwarf/alt.h"
#include "debug/files/debug_file.h"
#include "debug/libdw/empty_dwarf.h"
#include "debug/libdw/split_unit.h"
#include "debug/libdw/unit.h"
#include "debug/range_map.h"
#include "debug/source_path.h"
#include "util/cleanup.h"
#include "util/stop.h"
#include "util/vec.h"

enum {
	CHAIN_MAX = 128, /* deeper chains are cut at the innermost end */
	/*
	 * A file with more units, or that takes longer, is not read: libdw goes through all
	 * abbreviations of each unit anew.
	 */
	UNITS_MAX = 1 << 18,
	UNITS_MS_MAX = 500, /* CPU time */
	UNITS_CHECKED = 16, /* at once */
};
/* What libdw may allocate for that, and a byte more for each byte of the file. */
#define UNITS_MEMORY_MAX (128UL << 20)

struct libdw_reader {
	struct elf_image *image;
	const struct debug_options *options;
	struct arena *arena;
	Dwarf *dwarf;
	Dwarf *alt; /* what dwarf_setalt() got, NULL: nothing */
	Elf *empty; /* of a stand-in alt, NULL: alt is real */
	struct alt file;
	const char *detail; /* for every address, NULL: nothing */
	struct VEC(struct dwarf_unit) units;
	struct range_map map; /* values are indices into units */
	struct source_paths paths;
	uint64_t budget; /* ranges that may still be read, see struct die_ranges */
};

static uint64_t cpu_ms(void)
{
	struct timespec now = {};

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static size_t allocated(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* False: there are too many, or they take too long or too much memory. */
static bool read_units(struct libdw_reader *reader)
{
	Dwarf_CU *cu = NULL;
	uint8_t type;
	Dwarf_Die die;
	uint64_t end_ms = cpu_ms() + UNITS_MS_MAX;
	size_t most = allocated() + UNITS_MEMORY_MAX + (size_t)reader->image->stat.st_size;

	for (size_t n = 1; !dwarf_get_units(reader->dwarf, cu, &cu, NULL, &type, &die, NULL); n++) {
		uint64_t start, end;
		bool first = true;

		if (n > UNITS_MAX || stop_asked() ||
			(n % UNITS_CHECKED == 0 && (cpu_ms() > end_ms || allocated() > most)))
			return false;
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		struct die_ranges ranges = {&die, &reader->budget, 0, 0};
		while (die_ranges_next(&ranges, &start, &end)) {
			if (first)
				vec_add(&reader->units)->skeleton = die;
			first = false;
			range_map_add(
				&reader->map, start, end, (uint32_t)(reader->units.len - 1), 0);
		}
	}
	range_map_finish(&reader->map);
	return true;
}

static void open_alt(struct libdw_reader *reader)
{
	const struct companions companions = {reader->image, reader->image, reader->options};
	struct alt_link link;
	const void *id = NULL;
	ssize_t len = dwelf_dwarf_gnu_debugaltlink(reader->dwarf, &link.name, &id);

	if (len <= 0)
		return;
	link.id = build_id_make(id, (size_t)len);
	reader->file = alt_open(&companions, &link, reader->arena);
	if (reader->file.image && !debug_file_unreadable(reader->file.image))
		reader->alt = dwarf_begin_elf(reader->file.image->elf, DWARF_C_READ, NULL);
	if (!reader->alt) {
		reader->detail = reader->file.detail ? reader->file.detail
						     : "libdw cannot read the file of dwz";
		reader->alt = empty_dwarf(&reader->empty);
	}
	if (reader->alt)
		dwarf_setalt(reader->dwarf, reader->alt);
}

struct libdw_reader *libdw_reader_create(struct elf_image *image,
	const struct debug_options *options, struct arena *arena, const char **detail_ret)
{
	/* It would need libdwfl to relocate the sections, which lays them out its own way. */
	*detail_ret = elf_image_is_relocatable(image)
			      ? "its DWARF is not read through libdw: it is relocatable"
			      : debug_file_unreadable(image);
	if (*detail_ret || !debug_file_has_dwarf(image))
		return NULL;
	Dwarf *dwarf = dwarf_begin_elf(image->elf, DWARF_C_READ, NULL);
	if (!dwarf) {
		*detail_ret = "its DWARF cannot be read";
		return NULL;
	}
	struct libdw_reader *reader = xcalloc(1, sizeof(*reader));
	reader->image = image;
	reader->options = options;
	reader->arena = arena;
	reader->dwarf = dwarf;
	reader->budget = (1 << 20) + 8 * (uint64_t)image->stat.st_size;
	open_alt(reader);
	if (read_units(reader))
		return reader;
	*detail_ret = "its DWARF is too long for libdw";
	libdw_reader_destroy(reader);
	return NULL;
}

void libdw_reader_destroy(struct libdw_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->units.len; i++)
		dwarf_unit_deinit(&reader->units.data[i]);
	vec_deinit(&reader->units);
	range_map_deinit(&reader->map);
	source_paths_deinit(&reader->paths);
	dwarf_end(reader->dwarf);
	if (reader->alt)
		dwarf_end(reader->alt);
	elf_end(reader->empty);
	alt_deinit(&reader->file);
	free(reader);
}

/* The scopes from the innermost outwards; returns how many were stored. */
static size_t collect_chain(
	const struct unit_function *function, uint32_t innermost, uint32_t chain[CHAIN_MAX])
{
	size_t n = 0, skip = 0;

	for (uint32_t i = innermost; i != UNIT_NO_SCOPE; i = function->scopes[i].parent)
		n++;
	for (; n - skip > CHAIN_MAX; innermost = function->scopes[innermost].parent)
		skip++;
	for (n = 0; innermost != UNIT_NO_SCOPE; innermost = function->scopes[innermost].parent)
		chain[n++] = innermost;
	return n;
}

static void set_line(struct libdw_reader *reader, const struct dwarf_unit *unit,
	struct frame *frame, struct unit_line line)
{
	frame->file = source_path(&reader->paths, reader->arena, unit->comp_dir, line.file);
	if (reader->options->relative_names)
		frame->file = source_path_relative(unit->comp_dir, frame->file);
	frame->line = line.line;
	frame->column = line.column;
	frame->discriminator = line.discriminator;
}

/* Fills the frames of CHAIN and of the function around them, but for the innermost line. */
static void fill_frames(struct libdw_reader *reader, struct dwarf_unit *unit,
	struct unit_function *function, const uint32_t *chain, struct reader_answer *ret)
{
	for (size_t i = 0; i + 1 < ret->n_frames; i++) {
		const struct unit_scope *scope = dwarf_unit_scope(unit, function, chain[i]);

		names_set(&ret->frames[i], &scope->names);
		ret->frames[i].inlined = true;
		set_line(reader, unit, &ret->frames[i + 1],
			(struct unit_line){.file = scope->call_file,
				.line = scope->call_line,
				.column = scope->call_column});
	}
	if (function)
		names_set(&ret->frames[ret->n_frames - 1], dwarf_unit_names(unit, function));
}

static struct dwarf_unit *find_unit(struct libdw_reader *reader, uint64_t address)
{
	const struct range *range = range_map_find(&reader->map, address);

	if (!range)
		return NULL;
	struct dwarf_unit *unit = &reader->units.data[range->value];
	if (!unit->opened)
		split_unit_open(unit, reader->image, reader->options, reader->arena);
	return unit;
}

bool libdw_reader_find(struct libdw_reader *reader, uint64_t address, struct arena *frames,
	struct reader_answer *ret)
{
	struct dwarf_unit *unit = find_unit(reader, address);
	uint32_t chain[CHAIN_MAX];
	size_t n = 0;

	*ret = (struct reader_answer){
		.detail = reader->detail, .gap = reader->detail ? GAP_DWZ : GAP_NONE};
	if (!unit)
		return false;
	if (unit->detail) {
		ret->detail = unit->detail;
		ret->gap = GAP_DWO;
	}
	struct unit_function *function = dwarf_unit_function(unit, address, &reader->budget);
	if (function && reader->options->inlines)
		n = collect_chain(function,
			dwarf_unit_innermost(unit, function, address, &reader->budget), chain);
	reader_answer_begin(ret, n + 1, frames);
	fill_frames(reader, unit, function, chain, ret);
	set_line(reader, unit, &ret->frames[0], dwarf_unit_line(unit, address, &reader->budget));
	if (unit->lines_too_long)
		ret->detail = "its line is unknown: the line table is too long for libdw";
	else if (address < unit->lines_from)
		ret->detail = "its line is unknown: libdw mixes in lines of discarded code";
	ret->has_function = function;
	ret->entry = function ? function->entry : 0;
	return true;
}
