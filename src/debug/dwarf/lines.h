/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line table of a unit. Its program (DWARF 5, section 6.2.5) is run once, storing the state at
 * regular intervals of rows. To find an address, the program is run again from the last state
 * before it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/line_header.h"
#include "debug/dwarf/unit.h"
#include "debug/range_map.h"
#include "util/vec.h"

struct line_row {
	uint64_t address;
	uint32_t file; /* number in the program */
	uint32_t line, column, discriminator;
};

/* A row, and the position in the program after it. */
struct line_state {
	struct line_row row;
	uint32_t operation; /* op_index */
	const uint8_t *next;
};

/* Rows with ascending addresses: a sequence, or a part of a sequence that is out of order. */
struct line_run {
	size_t first, n; /* in STATES */
};

struct line_table {
	struct line_header header;
	struct VEC(struct line_state) states;
	struct VEC(struct line_run) runs;
	struct range_map map; /* values are indices into RUNS */
};

/* Returns NULL if UNIT's line table is missing or broken. */
struct line_table *lines_create(struct unit *unit);
void lines_destroy(struct line_table *table);
/*
 * Finds the last row at or before ADDRESS in its sequence. Returns false if no sequence covers
 * ADDRESS.
 */
bool lines_find(
	struct line_table *table, struct dwarf *dwarf, uint64_t address, struct line_row *ret);
