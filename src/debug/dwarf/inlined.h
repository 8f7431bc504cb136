/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the inlined calls of functions by their names: they may have no symbol. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/dwarf.h"
#include "debug/dwarf/split.h"
#include "debug/names/frame_names.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

/* An inlined call. */
struct inlined_code {
	uint64_t address; /* ELF address where it begins */
	uint32_t function;
};

/* All inlined calls of a file. */
struct inlined_calls {
	bool read;
	struct table functions; /* struct names → number */
	struct VEC(struct inlined_code) all;
};

struct inlined_search {
	const char *word; /* name in any form that is printed */
	struct frame_names *names;
	struct arena *strings;				/* for NAMES */
	void (*found)(void *context, uint64_t address); /* gets the ELF address of a call's code */
	void *context;
};

void inlined_calls_deinit(struct inlined_calls *calls);
/* The first search reads all units of DWARF. */
void inlined_find(struct inlined_calls *calls, const struct inlined_search *search,
	struct dwarf *dwarf, struct splits *splits);
