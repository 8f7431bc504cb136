// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/libdw/split_unit.h"

#include <dwarf.h>
#include <string.h>

#include "debug/files/open_file.h"
#include "debug/libdw/die.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

static const char *either_string(Dwarf_Die *die, unsigned attribute, unsigned older)
{
	const char *s = die_string(die, attribute);

	return s ? s : die_string(die, older);
}

/* Nothing there, or a file that libdw may open: one that our own reader would. */
static bool harmless(const struct elf_image *holder, const char *path)
{
	auto_free char *why = NULL;
	scope_guard(elf_image_cleanup) struct elf_image *image =
		wanted_open_elf(&(struct wanted_file){"", path, holder, NULL}, &why);

	return image || !strcmp(why, "not there");
}

static bool harmless_in(
	const struct elf_image *holder, const char *dir, size_t dir_len, const char *name)
{
	auto_free char *path = xasprintf("%.*s/%s", (int)dir_len, dir, name);

	return harmless(holder, path);
}

static bool candidates_harmless(
	const struct elf_image *holder, const char *comp_dir, const char *name)
{
	const char *path = holder->path, *slash = strrchr(path, '/');

	if (*name == '/')
		return harmless(holder, name);
	return harmless_in(holder, slash ? path : ".", slash ? (size_t)(slash - path) : 1, name) &&
	       (!comp_dir || harmless_in(holder, comp_dir, strlen(comp_dir), name));
}

static bool usable(Dwarf_Die *die)
{
	return die->addr && dwarf_tag(die) == DW_TAG_compile_unit;
}

void split_unit_open(struct dwarf_unit *unit, const struct elf_image *holder,
	const struct debug_options *options, struct arena *arena)
{
	uint8_t type = 0;
	Dwarf_Die split = {};

	unit->opened = true;
	unit->comp_dir = die_string(&unit->skeleton, DW_AT_comp_dir);
	if (dwarf_cu_info(unit->skeleton.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL))
		return;
	if (type != DW_UT_skeleton) {
		unit->die = unit->skeleton;
		return;
	}
	const char *name = either_string(&unit->skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	if (name && !*options->root && candidates_harmless(holder, unit->comp_dir, name) &&
		!dwarf_cu_info(unit->skeleton.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) &&
		usable(&split)) {
		unit->die = split;
		return;
	}
	unit->detail =
		arena_printf(arena, "split debug info %s was not found, or is not of this build",
			name ? name : "without a name");
}
