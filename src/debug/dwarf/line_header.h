/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header of a line table (DWARF 5, section 6.2.4): parameters of the program, directories and
 * files.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/unit.h"
#include "util/arena.h"
#include "util/vec.h"

struct line_file {
	const char *name; /* as in the table */
	/* Index into DIRS. Before DWARF 5 it counts from 1, and 0 is the unit's directory. */
	uint64_t dir;
	const char *path; /* NULL until needed */
};

struct line_header {
	struct encoding encoding;		 /* of this table */
	uint8_t min_instruction, max_operations; /* in bytes; per VLIW instruction, at least 1 */
	int8_t line_base;
	uint8_t line_range; /* never 0 */
	/* Reciprocal of LINE_RANGE: for a byte n, n / LINE_RANGE is n * PER_RANGE >> 16. */
	uint32_t per_range;
	uint8_t opcode_base;
	const uint8_t *opcode_lengths; /* of opcodes 1 to opcode_base - 1 */
	struct cursor program;
	struct VEC(const char *) dirs;
	struct VEC(struct line_file) files;
};

void line_header_deinit(struct line_header *header);
/* Inflates UNIT's line table. */
void line_header_want(const struct unit *unit);
/*
 * Reads the header of UNIT's line table. Returns false if it is missing or broken. RET must be
 * deinitialized in any case.
 */
bool line_header_read(struct unit *unit, struct line_header *ret);
/*
 * Returns the path of file INDEX of the line program, NULL if there is no such file. It is absolute
 * if UNIT's compilation directory is. It lives in ARENA or in the sections.
 */
const char *line_header_path(
	struct line_header *header, const struct unit *unit, uint64_t index, struct arena *arena);
