// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/split.h"

#include <stdlib.h>

#include "debug/dwarf/package.h"
#include "debug/dwarf/unit_index.h"
#include "debug/dwarf/unit_root.h"
#include "util/cleanup.h"

struct split_file {
	struct elf_image *image;   /* NULL if added by splits_add() */
	struct sections *sections; /* of a package, otherwise NULL: DWARF owns them */
	struct package package;
	struct dwarf *dwarf;		  /* of a .dwo file, otherwise NULL */
	struct VEC(struct dwarf *) parts; /* of a package's units */
	/* Bytes of units that may still be read: many skeletons can refer to one unit. */
	uint64_t budget;
};

static void file_destroy(struct split_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->parts.len; i++)
		dwarf_destroy(file->parts.data[i]);
	vec_deinit(&file->parts);
	dwarf_destroy(file->dwarf);
	sections_destroy(file->sections);
	elf_image_destroy(file->image);
	free(file);
}

void splits_deinit(struct splits *splits)
{
	for (size_t i = 0; i < splits->files.len; i++)
		file_destroy(splits->files.data[i]);
	vec_deinit(&splits->files);
	table_deinit(&splits->by_file);
	vec_deinit(&splits->packages);
	candidates_deinit(&splits->package_paths);
	text_deinit(&splits->package_files);
}

static struct dwarf *split_dwarf(struct sections *sections)
{
	struct dwarf *dwarf = dwarf_create(sections);

	dwarf->split = true;
	return dwarf;
}

/* Takes ownership of SECTIONS and IMAGE. */
static struct split_file *add_file(
	struct splits *splits, struct sections *sections, struct elf_image *image)
{
	struct split_file *file = xcalloc(1, sizeof(*file));

	file->image = image;
	file->budget = (1 << 20) + 4 * sections_size(sections, SECTION_INFO);
	if (package_read(sections, &file->package))
		file->sections = sections;
	else
		file->dwarf = split_dwarf(sections);
	vec_push(&splits->files, file);
	return file;
}

void splits_add(struct splits *splits, struct sections *sections)
{
	vec_push(&splits->packages, add_file(splits, sections, NULL));
}

static bool charge(struct split_file *file, uint64_t bytes)
{
	if (bytes > file->budget)
		return false;
	file->budget -= bytes;
	return true;
}

/*
 * Creates a separate unit for SKELETON: skeletons can share a split unit, at different addresses.
 */
static struct unit *join(struct split_file *file, const struct unit *found, struct unit *skeleton)
{
	struct unit header;

	if (!charge(file, found->end - found->offset) ||
		!unit_read_header(found->dwarf, found->offset, &header))
		return NULL;
	struct unit *unit = xmalloc(sizeof(*unit));
	*unit = header;
	unit->skeleton = skeleton;
	unit_read_root(unit);
	return unit;
}

static struct unit *find_at(struct split_file *file, struct unit *skeleton, uint64_t place)
{
	struct sections *sections = package_unit(&file->package, skeleton->dwo_id, place);

	if (!sections)
		return NULL;
	struct dwarf *dwarf = split_dwarf(sections);
	vec_push(&file->parts, dwarf);
	struct unit *found = NULL;
	if (charge(file, sections_size(sections, SECTION_INFO)))
		found = unit_index_split(dwarf->units, skeleton->dwo_id);
	return found ? join(file, found, skeleton) : NULL;
}

static struct unit *find_in_package(struct split_file *file, struct unit *skeleton)
{
	struct unit *unit = NULL;

	for (uint64_t i = 0; i < package_places(&file->package) && !unit; i++)
		unit = find_at(file, skeleton, i);
	return unit;
}

static struct unit *find_in(struct split_file *file, struct unit *skeleton)
{
	if (file->sections)
		return find_in_package(file, skeleton);
	struct unit *found = unit_index_split(file->dwarf->units, skeleton->dwo_id);
	return found ? join(file, found, skeleton) : NULL;
}

/*
 * Opens CANDIDATE, once for all units. Returns NULL if it cannot be used. Sets THERE if the file
 * exists.
 */
static struct split_file *open_candidate(
	struct splits *splits, struct candidate *candidate, bool *there)
{
	scope_guard(elf_image_cleanup) struct elf_image *image = candidate_open(candidate);
	bool added;

	if (!image)
		return NULL;
	*there = true;
	uint64_t key[2] = {image->stat.st_dev, image->stat.st_ino};
	uint64_t *known = table_at(&splits->by_file, key, sizeof(key), &added);
	if (!added)
		return (struct split_file *)(uintptr_t)*known;
	struct sections *sections = sections_create(image, true);
	if (!sections)
		return NULL;
	struct split_file *file = add_file(splits, sections, take(image));
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
	companions_dwp(splits->companions, &splits->package_paths);
	for (size_t i = 0; i < splits->package_paths.all.len; i++) {
		struct candidate *candidate = &splits->package_paths.all.data[i];
		bool there = false;
		struct split_file *file = open_candidate(splits, candidate, &there);

		if (file && file->sections)
			vec_push(&splits->packages, file);
		if (there)
			add_candidate(&splits->package_files, candidate);
	}
}

static struct unit *find_in_packages(struct splits *splits, struct unit *skeleton)
{
	struct unit *unit = NULL;

	for (size_t i = 0; i < splits->packages.len && !unit; i++)
		unit = find_in(splits->packages.data[i], skeleton);
	return unit;
}

/* A search for SKELETON's .dwo file, with the files that do not contain the unit. */
struct split_search {
	struct splits *splits;
	struct unit *skeleton;
	struct candidates candidates;
	struct text others; /* files of other builds, and packages that do not contain it */
};

static struct unit *find_in_dwo(struct split_search *search)
{
	struct unit *skeleton = search->skeleton;

	companions_dwo(search->splits->companions, skeleton->comp_dir, skeleton->dwo_name,
		&search->candidates);
	for (size_t i = 0; i < search->candidates.all.len; i++) {
		struct candidate *candidate = &search->candidates.all.data[i];
		bool there = false;
		struct split_file *file = open_candidate(search->splits, candidate, &there);
		struct unit *unit = file ? find_in(file, skeleton) : NULL;

		if (unit)
			return unit;
		if (there)
			add_candidate(&search->others, candidate);
	}
	return NULL;
}

static void say_missing(struct split_search *search)
{
	const struct unit *skeleton = search->skeleton;
	scope_guard(text_deinit) struct text text = {};

	text_printf(&text, "split debug info %.4000s is missing",
		skeleton->dwo_name ? skeleton->dwo_name : "without a name");
	if (search->others.len)
		text_printf(&text, "; of another build, or broken: %s", search->others.data);
	if (search->candidates.all.len) {
		text_add_string(&text, "; looked for at ");
		candidates_say(&search->candidates, &text);
		text_add_string(&text, "; for packages at ");
		candidates_say(&search->splits->package_paths, &text);
	}
	search->skeleton->detail = arena_copy(search->splits->arena, text.data, text.len);
}

struct unit *splits_find(struct splits *splits, struct unit *skeleton)
{
	struct split_search search = {.splits = splits, .skeleton = skeleton};

	if (skeleton->split_tried)
		return skeleton->split;
	skeleton->split_tried = true;
	if (splits->companions && !splits->packages_looked)
		look_for_packages(splits);
	if (skeleton->has_dwo_id)
		skeleton->split = find_in_packages(splits, skeleton);
	if (!skeleton->split)
		text_add(&search.others, splits->package_files.data, splits->package_files.len);
	if (!skeleton->split && skeleton->has_dwo_id && skeleton->dwo_name && splits->companions)
		skeleton->split = find_in_dwo(&search);
	if (!skeleton->split)
		say_missing(&search);
	candidates_deinit(&search.candidates);
	text_deinit(&search.others);
	return skeleton->split;
}
