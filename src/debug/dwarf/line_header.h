/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a line table begins with (DWARF 5, section 6.2.4): how to read it, directories, files. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/unit.h"
#include "util/arena.h"
#include "util/vec.h"

struct line_file {
	const char *name; /* as in the table */
	uint64_t dir;	  /* index into dirs; before DWARF 5 counted from 1, 0: comp_dir */
	const char *path; /* made when it is first asked for, NULL: not yet */
};

struct line_header {
	struct encoding encoding;		 /* of this table */
	uint8_t min_instruction, max_operations; /* bytes; per VLIW instruction, at least 1 */
	int8_t line_base;
	uint8_t line_range; /* never 0 */
	uint32_t per_range; /* above 65536 / line_range: n * per_range >> 16 divides a byte n */
	uint8_t opcode_base;
	const uint8_t *opcode_lengths; /* of opcodes 1 to opcode_base - 1 */
	struct cursor program;
	struct VEC(const char *) dirs;
	struct VEC(struct line_file) files;
};

void line_header_deinit(struct line_header *header);
/* Has UNIT's line table inflated. */
void line_header_want(const struct unit *unit);
/* The header of UNIT's line table; false if it has none, or a broken one. Deinit RET always. */
bool line_header_read(struct unit *unit, struct line_header *ret);
/*
 * The path of file INDEX as the line program counts them: absolute as far as UNIT's compilation
 * directory is. NULL: there is no such file. It lives in ARENA or in the sections.
 */
const char *line_header_path(
	struct line_header *header, const struct unit *unit, uint64_t index, struct arena *arena);
