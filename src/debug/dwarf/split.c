// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/split.h"

#include <dwarf.h>

#include "util/cleanup.h"

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

/* Returns the number of possible places of a unit (package_unit()), usually 1. */
static uint64_t package_places(const struct package *package)
{
	return 1 + (sections_size(package->sections, SECTION_INFO) >> 32);
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

		if (id == SECTION_COUNT)
			continue;
		uint64_t offset = entry(package->offsets, cell, 4);
		uint64_t size = entry(package->sizes, cell, 4);
		struct slice section = sections_get(package->sections, id);
		if (id == SECTION_INFO)
			offset += place << 32;
		bool fits = offset <= section.len && size <= section.len - offset;
		slices[id] = fits ? (struct slice){section.data + offset, size, section.big}
				  : (struct slice){};
	}
	struct cursor unit = cursor_at(slices[SECTION_INFO], 0);
	const uint8_t *end = unit.end;
	cursor_enter_unit(&unit);
	if (package_places(package) > 1 && (unit.failed || unit.end != end))
		return NULL;
	slices[SECTION_STR] = sections_get(package->sections, SECTION_STR);
	return slices[SECTION_INFO].len ? sections_from_slices(slices) : NULL;
}

struct split_file {
	struct elf_image *image;	  /* NULL if added by dwarf_reader_add_split() */
	struct package package;		  /* its sections are owned; zero-filled if a .dwo file */
	struct dwarf *dwarf;		  /* of a .dwo file, otherwise NULL */
	struct VEC(struct dwarf *) parts; /* of a package's units */
	/* Bytes of units that may still be read: many skeletons can refer to one unit. */
	uint64_t budget;
};

static void file_destroy(struct split_file *file)
{
	vec_destroy(&file->parts, dwarf_destroy);
	dwarf_destroy(file->dwarf);
	sections_destroy(file->package.sections);
	elf_image_destroy(file->image);
	free(file);
}

void splits_deinit(struct splits *splits)
{
	vec_destroy(&splits->files, file_destroy);
	table_deinit(&splits->by_file);
	vec_deinit(&splits->packages);
	candidates_deinit(&splits->package_paths);
	text_deinit(&splits->package_files);
}

struct split_file *splits_add(
	struct splits *splits, struct sections *sections, struct elf_image *image)
{
	struct split_file *file = xnew(file);

	file->image = image;
	file->budget = (1 << 20) + 4 * sections_size(sections, SECTION_INFO);
	vec_push(&splits->files, file);
	if (package_read(sections, &file->package))
		return file;
	file->dwarf = dwarf_create(sections);
	file->dwarf->split = true;
	return file;
}

static bool charge(struct split_file *file, uint64_t bytes)
{
	if (bytes > file->budget)
		return false;
	file->budget -= bytes;
	return true;
}

/*
 * Creates a unit for SKELETON like the one in DWARF, a part of FILE. It is separate, because
 * skeletons can share a split unit, at different addresses. Returns NULL if there is none.
 */
static struct unit *join(struct split_file *file, struct dwarf *dwarf, struct unit *skeleton)
{
	const struct unit *found = units_find_split(dwarf, skeleton->dwo_id);

	if (!found || !charge(file, found->end - found->offset))
		return NULL;
	struct unit *unit = unit_create(dwarf, found->offset);
	if (!unit)
		return NULL;
	unit->skeleton = skeleton;
	unit_read_root(unit);
	return unit;
}

static struct unit *find_in(struct split_file *file, struct unit *skeleton)
{
	struct unit *unit = NULL;

	if (!file->package.sections)
		return join(file, file->dwarf, skeleton);
	for (uint64_t i = 0; i < package_places(&file->package) && !unit; i++) {
		struct sections *sections = package_unit(&file->package, skeleton->dwo_id, i);

		if (!sections)
			continue;
		struct dwarf *dwarf = dwarf_create(sections);
		dwarf->split = true;
		vec_push(&file->parts, dwarf);
		if (charge(file, sections_size(sections, SECTION_INFO)))
			unit = join(file, dwarf, skeleton);
	}
	return unit;
}

/*
 * Opens CANDIDATE, once for all units. Returns NULL if it cannot be used. Its `why` remains NULL if
 * the file exists.
 */
static struct split_file *open_candidate(struct splits *splits, struct candidate *candidate)
{
	scope_guard(elf_image_cleanup) struct elf_image *image =
		wanted_open_elf(&candidate->file, &candidate->why);
	bool added;

	if (!image)
		return NULL;
	uint64_t key[2] = {image->stat.st_dev, image->stat.st_ino};
	uint64_t *known = table_at(&splits->by_file, key, sizeof(key), &added);
	if (!added)
		return (struct split_file *)(uintptr_t)*known;
	struct sections *sections = sections_create(image, SECTIONS_DWO);
	if (!sections)
		return NULL;
	struct split_file *file = splits_add(splits, sections, take(image));
	*known = (uintptr_t)file;
	return file;
}

static void add_candidate(struct text *text, const struct candidate *candidate)
{
	text_printf(
		text, "%s%s%s", text->len ? ", " : "", candidate->file.root, candidate->file.path);
}

static void look_for_packages(struct splits *splits)
{
	splits->packages_looked = true;
	companions_dwp(&splits->companions, &splits->package_paths);
	vec_each(candidate, &splits->package_paths) {
		struct split_file *file = open_candidate(splits, candidate);

		if (file && file->package.sections)
			vec_push(&splits->packages, file);
		if (!candidate->why)
			add_candidate(&splits->package_files, candidate);
	}
}

/*
 * Returns a message about SKELETON's missing unit. LOOKED: the candidates for its .dwo file.
 * OTHERS: files of other builds, and packages that do not contain it.
 */
static const char *say_missing(struct splits *splits, const struct unit *skeleton,
	const struct candidates *looked, const struct text *others)
{
	auto_text struct text text = {};

	text_printf(&text, "split debug info %.4000s is missing",
		skeleton->dwo_name ?: "without a name");
	if (others->len)
		text_printf(&text, "; of another build, or broken: %s", others->data);
	if (looked->len) {
		text_add_string(&text, "; looked for at ");
		candidates_say(looked, &text);
		text_add_string(&text, "; for packages at ");
		candidates_say(&splits->package_paths, &text);
	}
	return arena_string(splits->arena, text.data);
}

struct unit *splits_find(struct splits *splits, struct unit *skeleton)
{
	if (skeleton->split_tried)
		return skeleton->split;
	skeleton->split_tried = true;
	if (splits->companions.holder && !splits->packages_looked)
		look_for_packages(splits);
	for (size_t i = 0; i < splits->packages.len && skeleton->has_dwo_id; i++) {
		skeleton->split = find_in(splits->packages.data[i], skeleton);
		if (skeleton->split)
			return skeleton->split;
	}
	scope_guard(candidates_deinit) struct candidates candidates = {};
	auto_text struct text others = {};
	text_add(&others, splits->package_files.data, splits->package_files.len);
	if (skeleton->has_dwo_id && skeleton->dwo_name && splits->companions.holder)
		companions_dwo(
			&splits->companions, skeleton->comp_dir, skeleton->dwo_name, &candidates);
	vec_each(candidate, &candidates) {
		struct split_file *file = open_candidate(splits, candidate);

		skeleton->split = file ? find_in(file, skeleton) : NULL;
		if (skeleton->split)
			return skeleton->split;
		if (!candidate->why)
			add_candidate(&others, candidate);
	}
	skeleton->detail = say_missing(splits, skeleton, &candidates, &others);
	return NULL;
}

/* ---- dwz's file ------------------------------------------------------------------------------ */

/*
 * Reads .debug_sup: that of dwz's file if SUPPLEMENTARY, otherwise that of a file which refers to
 * dwz's. Returns false if it is broken or the other one.
 */
static bool read_sup(struct sections *sections, bool supplementary, struct alt_link *ret)
{
	struct cursor cursor = cursor_at(sections_get(sections, SECTION_SUP), 0);
	uint16_t version = cursor_u16(&cursor);
	bool is_supplementary = cursor_u8(&cursor);
	const char *name = cursor_string(&cursor);
	uint64_t len = cursor_uleb(&cursor);

	if (cursor.failed || version != 5 || is_supplementary != supplementary ||
		len > cursor_left(&cursor))
		return false;
	*ret = (struct alt_link){name, build_id_make(cursor.at, len)};
	return true;
}

bool alt_link_read(struct sections *sections, struct alt_link *ret)
{
	/* .gnu_debugaltlink: a NUL-terminated name, then the build ID */
	struct cursor cursor = cursor_at(sections_altlink(sections), 0);
	const char *name = cursor_string(&cursor);

	if (cursor.failed || !*name)
		return read_sup(sections, false, ret);
	*ret = (struct alt_link){name, build_id_make(cursor.at, cursor_left(&cursor))};
	return true;
}

void alt_deinit(struct alt *alt)
{
	dwarf_destroy(alt->dwarf);
	elf_image_destroy(alt->image);
}

/* Sets ALT if CANDIDATE has the right ID. */
static void try_candidate(struct candidate *candidate, const struct alt_link *link, struct alt *alt)
{
	scope_guard(elf_image_cleanup) struct elf_image *image =
		wanted_open_elf(&candidate->file, &candidate->why);
	struct alt_link own;

	if (!image)
		return;
	struct sections *sections = sections_create(image, SECTIONS_ANY);
	bool matches =
		sections && link->id.len &&
		(build_id_equal(&image->build_id, &link->id) ||
			(read_sup(sections, true, &own) && build_id_equal(&own.id, &link->id)));
	if (!matches) {
		sections_destroy(sections);
		return;
	}
	alt->image = take(image);
	alt->dwarf = dwarf_create(sections);
}

struct alt alt_open(
	const struct companions *companions, const struct alt_link *link, struct arena *arena)
{
	struct alt alt = {};
	scope_guard(candidates_deinit) struct candidates candidates = {};
	auto_text struct text text = {};

	companions_alt(companions, link->name, &link->id, &candidates);
	text_printf(&text, "debug file %.4000s, shared by dwz, is missing", link->name);
	for (size_t i = 0; i < candidates.len && !alt.dwarf; i++) {
		struct candidate *candidate = &candidates.data[i];

		try_candidate(candidate, link, &alt);
		if (!alt.dwarf && !candidate->why)
			text_printf(&text, "; %s%s is of another build", candidate->file.root,
				candidate->file.path);
	}
	text_add_string(&text, "; looked for at ");
	candidates_say(&candidates, &text);
	struct fetcher *fetcher = companions->options->fetcher;
	struct fetch *fetch = alt.dwarf ? NULL
					: fetcher_start(fetcher, DEBUGINFOD_DEBUGINFO, &link->id,
						  NULL, link->name);
	if (fetch)
		fetcher_wait(fetcher, fetch);
	if (fetch && fetch->path) {
		struct candidate fetched = {.file = {.root = "", .path = fetch->path}};

		try_candidate(&fetched, link, &alt);
		free(fetched.why);
	} else if (fetch) {
		text_printf(&text, "; debuginfod: %s", fetch_outcome(fetch));
		alt.fetch = fetch;
	}
	if (!alt.dwarf)
		alt.detail = arena_string(arena, text.data);
	return alt;
}
