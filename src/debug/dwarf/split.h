/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split units: with -gsplit-dwarf, a program contains skeletons, and the functions are in .dwo
 * files or in packages of them. Opened files are kept. Split units are verified by their IDs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/cursor.h"
#include "debug/dwarf/dwarf.h"
#include "debug/files/companions.h"
#include "model/build_id.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

/*
 * A package of split units (.dwp). Its index gives the parts of the sections that belong to each
 * unit (DWARF 5, section 7.3.5; GNU's version 2: https://gcc.gnu.org/wiki/DebugFissionDWP).
 */

struct package {
	struct sections *sections; /* not owned */
	struct cursor slots;	   /* hash table of unit IDs, 8 bytes each */
	struct cursor rows;	   /* row of each slot, 4 bytes each, counting from 1 */
	/* section kinds of the columns of both tables, 4 bytes each */
	struct cursor columns;
	struct cursor offsets, sizes; /* rows with 4 bytes per column */
	uint32_t n_slots, n_units, n_columns;
	bool gnu; /* version 2 */
};

/* Reads .debug_cu_index of SECTIONS. Returns false if it is missing or broken. */
bool package_read(struct sections *sections, struct package *ret);
/*
 * Returns the sections of the unit with this ID, NULL if it is not there. Offsets in the index have
 * 32 bits, and packers let them wrap: PLACE has the upper 32 bits of the offset in .debug_info. If
 * .debug_info is larger than 4 GB, only the length of the unit was checked: the caller must compare
 * the ID. The caller owns the result.
 */
struct sections *package_unit(const struct package *package, uint64_t dwo_id, uint64_t place);

struct split_file;

/* The caller sets the first two fields; the others start zero-filled. */
struct splits {
	struct companions companions;	       /* zero-filled to open no files */
	struct arena *arena;		       /* for messages about missing files */
	struct VEC(struct split_file *) files; /* .dwo files and packages, owned */
	struct table by_file; /* device and inode → address of the file, 0 if not usable */
	struct VEC(struct split_file *) packages; /* packages to search for each skeleton */
	struct candidates package_paths;
	struct text package_files; /* paths of the packages that exist */
	bool packages_looked;
};

void splits_deinit(struct splits *splits);
/*
 * Returns the split unit of SKELETON, read by unit_read_root(). Returns NULL if it is not
 * available; SKELETON's `detail` is then the reason. Searches only once.
 */
struct unit *splits_find(struct splits *splits, struct unit *skeleton);
/* Adds a .dwo file or a package. Takes ownership of SECTIONS and IMAGE (may be NULL). */
struct split_file *splits_add(
	struct splits *splits, struct sections *sections, struct elf_image *image);

/*
 * dwz's file, to which dwz moves the parts that several programs have in common. The programs give
 * its name and ID in .gnu_debugaltlink or .debug_sup (DWARF 5, section 7.3.6).
 */

struct alt_link {
	const char *name;   /* lives as long as the sections */
	struct build_id id; /* build ID or, from .debug_sup, checksum */
};

/* Returns false if SECTIONS do not refer to dwz's file. */
bool alt_link_read(struct sections *sections, struct alt_link *ret);

/* Zero-filled if there is none. */
struct alt {
	struct elf_image *image;
	struct dwarf *dwarf; /* NULL if not found; DETAIL is then the reason */
	const char *detail;
	struct fetch *fetch; /* failed download, NULL if none failed */
};

void alt_deinit(struct alt *alt);
/* Opens the file of LINK. Messages are allocated in ARENA. */
struct alt alt_open(
	const struct companions *companions, const struct alt_link *link, struct arena *arena);
