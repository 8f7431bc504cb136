/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the names of frames from their linkage names, and caches them. */
#pragma once

#include <stdbool.h>

#include "debug/names/shown_names.h"
#include "model/frame.h"
#include "util/arena.h"
#include "util/table.h"

struct frame_names {
	bool demangle;
	struct table demangled;	   /* cache of demangled_name() */
	struct table lambdas;	   /* name, line and column of the declaration → shown name */
	struct shown_names *shown; /* owned; NULL if whole names are wanted */
};

/* For the parameters see shown_names_create(). */
void frame_names_init(bool demangle, enum name_style style, const struct elf_image *image,
	const struct elf_image *file, struct frame_names *ret);
void frame_names_deinit(struct frame_names *names);
/* Returns the name to print for LINKAGE: demangled, in STRINGS, or LINKAGE itself. */
const char *frame_names_whole(
	struct frame_names *names, struct arena *strings, const char *linkage);
/*
 * Sets `function` and `shown` of FRAME from its linkage name. If it has none, its name in DWARF
 * becomes its linkage name. The strings live as long as NAMES and STRINGS; equal linkage names get
 * the same ones.
 */
void frame_names_set(struct frame_names *names, struct arena *strings, struct frame *frame);
