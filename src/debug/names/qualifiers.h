/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands behind the names of frames, to tell their functions from others of the object: by the
 * symbol table (symbols/ambiguous_names.h), or, of what is inlined and has no linkage name, by its
 * file.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "debug/debug.h"
#include "debug/names/shown_names.h"
#include "debug/symbols/ambiguous_names.h"

struct qualifiers {
	const struct debug_options *options;
	struct ambiguous_names *ambiguous; /* NULL: nothing is told apart */
	struct shown_names *shown;	   /* NULL: names are shown whole */
	struct arena *arena;		   /* of the qualifiers */
	/* The source file by DWARF of frame I (SIZE_MAX: the last) at ADDRESS; NULL: unknown. */
	const char *(*file_at)(void *context, uint64_t address, size_t i);
	void *context;
};

/*
 * Tells frame I of those at ADDRESS from others. OWN: its symbol, NULL for what is inlined or has
 * none; with one DWARF may be read at other addresses of the object.
 */
void qualifiers_set(const struct qualifiers *qualifiers, uint64_t address, struct frame *frames,
	size_t i, const struct symbol *own);
