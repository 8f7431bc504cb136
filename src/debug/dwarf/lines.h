/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line table of a unit. Its program (DWARF 5, section 6.2.5) is run once, and only every so
 * many rows the state is kept; an address is found by running on from the state before it.
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
	uint32_t file; /* as the program counts them */
	uint32_t line, column, discriminator;
};

/* A row, and where the program goes on after it. */
struct line_state {
	struct line_row row;
	uint32_t operation; /* op_index */
	const uint8_t *next;
};

/* Rows whose addresses do not fall: a sequence, or what is left of one that is out of order. */
struct line_run {
	size_t first, n; /* of its states */
};

struct line_table {
	struct line_header header;
	struct VEC(struct line_state) states;
	struct VEC(struct line_run) runs;
	struct range_map map; /* values are indices into runs */
};

/* NULL: UNIT has no line table, or a broken one. */
struct line_table *lines_create(struct unit *unit);
void lines_destroy(struct line_table *table);
/* The last row at or before ADDRESS in its sequence. False: no sequence holds ADDRESS. */
bool lines_find(
	struct line_table *table, struct dwarf *dwarf, uint64_t address, struct line_row *ret);
