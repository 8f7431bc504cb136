/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a Go program keeps its pclntab, and how that is laid out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/files/image_words.h"
#include "debug/files/sections.h"

enum go_version {
	GO_1_2,
	GO_1_16,
	GO_1_18,
	GO_1_20,
};

struct go_layout {
	enum go_version version;
	uint64_t address;   /* of the table */
	struct slice table; /* from its header to the end of its segment or section */
	unsigned quantum;   /* addresses in programs count in units of so many bytes */
	unsigned word;	    /* bytes of a pointer */
	uint64_t n_functions;
	uint64_t text;	 /* base of functions' offsets; 0 where they have addresses */
	uint64_t gofunc; /* base of what functions point at, 0: unknown, or they have pointers */
	/* Parts, each to the end of the table; empty where the version has no such part. */
	struct slice names, units, files, programs, functions;
	uint64_t functions_at; /* offset of FUNCTIONS in the table */
};

/* False: IMAGE has no such table that can be read. */
bool go_layout_find(const struct image_words *words, struct go_layout *ret);
