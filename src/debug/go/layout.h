/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Location and layout of a Go program's pclntab. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/files/relocations.h"
#include "debug/files/sections.h"

enum go_version {
	GO_1_2,
	GO_1_16,
	GO_1_18,
	GO_1_20,
};

struct go_layout {
	enum go_version version;
	uint64_t address;   /* ELF address of the table */
	struct slice table; /* from the table's header to the end of its segment or section */
	unsigned quantum;   /* unit of address deltas in programs, in bytes */
	unsigned word;	    /* size of a pointer, in bytes */
	uint64_t n_functions;
	uint64_t text; /* ELF address of functions' offset 0; 0 if functions have addresses */
	/* ELF address of funcdata's offset 0; 0 if unknown, or if funcdata are pointers. */
	uint64_t gofunc;
	/* Parts, each to the end of the table; empty if the version does not have the part. */
	struct slice names, units, files, programs, functions;
	uint64_t functions_at; /* offset of FUNCTIONS in the table, in bytes */
};

/* Returns false if IMAGE has no readable pclntab of a known version. */
bool go_layout_find(const struct image_words *words, struct go_layout *ret);
