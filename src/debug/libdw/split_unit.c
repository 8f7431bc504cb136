// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/libdw/split_unit.h"

#include <dwarf.h>
#include <string.h>
#include <sys/stat.h>

#include "debug/libdw/die.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

static const char *either_string(Dwarf_Die *die, unsigned attribute, unsigned older)
{
	const char *s = die_string(die, attribute);

	return s ? s : die_string(die, older);
}

/* Nothing there, or a regular file: open() will not wait, and reading has no side effects. */
static bool harmless(const char *path)
{
	struct stat st;

	return stat(path, &st) || S_ISREG(st.st_mode);
}

static bool harmless_in(const char *dir, size_t dir_len, const char *name)
{
	auto_free char *path = xasprintf("%.*s/%s", (int)dir_len, dir, name);

	return harmless(path);
}

static bool candidates_harmless(const char *comp_dir, const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	if (*name == '/')
		return harmless(name);
	return harmless_in(slash ? path : ".", slash ? (size_t)(slash - path) : 1, name) &&
	       (!comp_dir || harmless_in(comp_dir, strlen(comp_dir), name));
}

static bool usable(Dwarf_Die *die)
{
	return die->addr && dwarf_tag(die) == DW_TAG_compile_unit;
}

void split_unit_open(struct dwarf_unit *unit, const char *path, const struct debug_options *options,
	struct arena *arena)
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
	if (name && !*options->root && candidates_harmless(unit->comp_dir, path, name) &&
		!dwarf_cu_info(unit->skeleton.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) &&
		usable(&split)) {
		unit->die = split;
		return;
	}
	unit->detail =
		arena_printf(arena, "split debug info %s was not found, or is not of this build",
			name ? name : "without a name");
}
