/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split units: with -gsplit-dwarf a program holds skeletons, and the functions are in .dwo files or
 * in packages of them. What is opened here is kept; its ID says that it is the right one.
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

/* Zero-filled but for the first two is empty. */
struct splits {
	const struct companions *companions;   /* NULL: no files are opened */
	struct arena *arena;		       /* for messages about missing ones */
	struct VEC(struct split_file *) files; /* owned: .dwo files and packages */
	struct table by_file; /* device and inode to address of file, 0: not usable */
	struct VEC(struct split_file *) packages; /* those that are searched for every skeleton */
	struct candidates package_paths;
	struct text package_files; /* those of them that are there */
	bool packages_looked;
};

void splits_deinit(struct splits *splits);
/*
 * The split unit of SKELETON, read as far as unit_read_root() reads. NULL: it is not available, and
 * SKELETON's detail says why. Looked for once.
 */
struct unit *splits_find(struct splits *splits, struct unit *skeleton);
/* Adds a .dwo file or a package from elsewhere; takes SECTIONS. */
void splits_add(struct splits *splits, struct sections *sections);
