/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line table of a unit. Its program (DWARF 5, section 6.2.5) is run once, storing the state at
 * regular intervals of rows. To find an address, the program is run again from the last state
 * before it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/dwarf.h"
#include "debug/range_map.h"
#include "util/arena.h"
#include "util/vec.h"

/* A file or directory. */
struct line_file {
	const char *name; /* as in the table */
	/* Index into DIRS. Before DWARF 5 it counts from 1, and 0 is the unit's directory. */
	uint64_t dir;
	const char *path; /* NULL until needed */
};

struct line_files VEC(struct line_file);

/* Parameters of the program, directories and files (DWARF 5, section 6.2.4). */
struct line_header {
	struct encoding encoding; /* of this table */
	uint8_t min_instruction;  /* in bytes */
	int8_t line_base;
	uint8_t line_range; /* never 0 */
	/* Reciprocal of LINE_RANGE: for a byte n, n / LINE_RANGE is n * PER_RANGE >> 16. */
	uint32_t per_range;
	uint8_t opcode_base;
	const uint8_t *opcode_lengths; /* of opcodes 1 to opcode_base - 1 */
	struct cursor program;
	struct line_files dirs, files; /* directories have only names */
};

struct line_row {
	uint64_t address;
	uint32_t file; /* number in the program */
	uint32_t line, column, discriminator;
};

/* A row, and the position in the program after it. */
struct line_state {
	struct line_row row;
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

/* Returns UNIT's line table, from its length on. Inflates all of its bytes. */
struct cursor line_table_bytes(const struct unit *unit);
/* Returns NULL if UNIT's line table is missing or broken. */
struct line_table *lines_create(struct unit *unit);
void lines_destroy(struct line_table *table);
/*
 * Finds the last row at or before ADDRESS in its sequence. Returns false if no sequence covers
 * ADDRESS.
 */
bool lines_find(
	struct line_table *table, struct dwarf *dwarf, uint64_t address, struct line_row *ret);
/*
 * Returns the path of file INDEX of the line program, NULL if there is no such file. It is absolute
 * if UNIT's compilation directory is. It is in ARENA or in the sections.
 */
const char *lines_path(
	struct line_table *table, const struct unit *unit, uint64_t index, struct arena *arena);
