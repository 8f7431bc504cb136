/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split units: with -gsplit-dwarf, a program contains skeletons, and the functions are in .dwo
 * files or in packages of them. Opened files are kept. Split units are verified by their IDs.
 */
#pragma once

#include "debug/dwarf/dwarf.h"
#include "debug/dwarf/unit.h"
#include "debug/files/companions.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

struct split_file;

/* The caller sets the first two fields; the others start zero-filled. */
struct splits {
	const struct companions *companions;   /* NULL to open no files */
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
/* Adds a .dwo file or a package without a search. Takes ownership of SECTIONS. */
void splits_add(struct splits *splits, struct sections *sections);
