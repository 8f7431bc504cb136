/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of frames, made of their linkage names, each once. */
#pragma once

#include <stdbool.h>

#include "debug/names/shown_names.h"
#include "model/frame.h"
#include "util/arena.h"
#include "util/table.h"

struct frame_names {
	bool demangle;
	struct table demangled;	   /* of demangled_name() */
	struct table lambdas;	   /* where they are declared → what they are called */
	struct shown_names *shown; /* owned; NULL: whole names are all that is wanted */
};

/* As in shown_names.h. */
void frame_names_init(bool demangle, enum name_style style, const struct elf_image *image,
	const struct elf_image *file, struct frame_names *ret);
void frame_names_deinit(struct frame_names *names);
/* LINKAGE as it is to be printed, in STRINGS if it was demangled. */
const char *frame_names_whole(
	struct frame_names *names, struct arena *strings, const char *linkage);
/*
 * Sets `function` and `shown` of FRAME by its linkage name, which becomes its name in DWARF if it
 * has none; these live as long as NAMES and STRINGS, always the same.
 */
void frame_names_set(struct frame_names *names, struct arena *strings, struct frame *frame);
