/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets the qualifiers of frames, printed after their names to distinguish functions of the same
 * name in an object. They come from the symbol table (symbols/ambiguous_names.h), or, for inlined
 * functions without linkage name, from the source file.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "debug/debug.h"
#include "debug/names/shown_names.h"
#include "debug/symbols/ambiguous_names.h"

struct qualifiers {
	const struct debug_options *options;
	struct ambiguous_names *ambiguous; /* NULL: no qualifiers are wanted */
	struct shown_names *shown;	   /* NULL: names are shown whole */
	struct arena *arena;		   /* owner of the qualifiers */
	/*
	 * Returns the source file, by DWARF, of frame I at ADDRESS (SIZE_MAX: the outermost); NULL
	 * if unknown.
	 */
	const char *(*file_at)(void *context, uint64_t address, size_t i);
	void *context;
};

/*
 * Sets the qualifier of FRAMES[I], a frame at ADDRESS, if it needs one. OWN: the frame's symbol;
 * NULL if it is inlined or has none. With OWN set, may read DWARF at other addresses of the object.
 */
void qualifiers_set(const struct qualifiers *qualifiers, uint64_t address, struct frame *frames,
	size_t i, const struct symbol *own);
