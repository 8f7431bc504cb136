/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the inlined calls of a function by its name: it may have no symbol. */
#pragma once

#include <stdint.h>

#include "debug/dwarf/dwarf.h"
#include "debug/dwarf/split.h"
#include "debug/names/frame_names.h"
#include "util/arena.h"

struct inlined_search {
	const char *word; /* name in any form that is printed */
	struct frame_names *names;
	struct arena *strings;				/* for NAMES */
	void (*found)(void *context, uint64_t address); /* gets the ELF address of a call's code */
	void *context;
};

/* Reads all units of DWARF. */
void inlined_find(const struct inlined_search *search, struct dwarf *dwarf, struct splits *splits);
