/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of frames, made from their linkage names and cached, and their qualifiers, printed
 * after the names to distinguish functions of the same name in an object. Qualifiers come from the
 * symbol table (symbols/ambiguous_names.h), or, for inlined functions without linkage name, from
 * the source file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/debug.h"
#include "debug/names/shown_names.h"
#include "debug/answers.h"
#include "debug/symbols/ambiguous_names.h"
#include "model/frame.h"
#include "util/arena.h"
#include "util/table.h"

struct frame_names {
	bool demangle;
	struct arena *strings;	   /* of the names; outlives them */
	struct table demangled;	   /* linkage name → its demangled form, NULL if none */
	struct table lambdas;	   /* name, line and column of the declaration → shown name */
	struct shown_names *shown; /* owned; NULL if whole names are wanted */
};

/* STRINGS must outlive RET. For the other parameters see shown_names_create(). */
void frame_names_init(bool demangle, enum name_style style, const struct elf_image *image,
	const struct elf_image *file, struct arena *strings, struct frame_names *ret);
void frame_names_deinit(struct frame_names *names);
/* Returns the name to print for LINKAGE: demangled, in `strings`, or LINKAGE itself. */
const char *frame_names_whole(struct frame_names *names, const char *linkage);
/*
 * Sets `function` and `shown` of FRAME from its linkage name. If it has none, its name in DWARF
 * becomes its linkage name. The strings live as long as NAMES and `strings`; equal linkage names
 * get the same ones.
 */
void frame_names_set(struct frame_names *names, struct frame *frame);

/* Returns true if FUNCTION, with the names in DWARF, is printed as WORD in any form. */
bool frame_names_is(struct frame_names *names, const struct frame *function, const char *word);

struct qualifiers {
	const struct debug_options *options;
	struct ambiguous_names *ambiguous;
	struct shown_names *shown; /* NULL: names are shown whole */
	struct arena *arena;	   /* owner of the qualifiers */
	struct frame_files files;
};

/*
 * Sets the qualifier of FRAMES[I], a frame at ADDRESS, if it needs one. OWN: the frame's symbol;
 * NULL if it is inlined or has none. With OWN set, may read DWARF at other addresses of the object.
 */
void qualifiers_set(const struct qualifiers *qualifiers, uint64_t address, struct frame *frames,
	size_t i, const struct symbol *own);
