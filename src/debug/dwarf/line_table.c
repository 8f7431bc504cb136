// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/line_table.h"

#include <dwarf.h>
#include <stdlib.h>

#include "debug/dwarf/die.h"
#include "debug/source_file.h"
#include "util/stop.h"
#include "util/xalloc.h"

/* columns (DW_LNCT_*) of an entry; valid tables have fewer */
enum { COLUMNS_MAX = 64 };
/* rows per stored state */
enum { ROWS_PER_STATE = 32 };
/* a search that reads more bytes is charged to `line_budget` */
enum { BYTES_FREE = 1024 };

/* Reads the directories and files before DWARF 5: lists of strings, each ended by an empty one. */
static void read_old_entries(struct line_header *header, struct cursor *cursor)
{
	for (;;) {
		const char *dir = cursor_string(cursor);

		if (!*dir)
			break;
		vec_push(&header->dirs, (struct line_file){.name = dir});
	}
	while (!cursor->failed) {
		struct line_file file = {.name = cursor_string(cursor)};

		if (!*file.name)
			break;
		file.dir = cursor_uleb(cursor);
		cursor_uleb(cursor);
		cursor_uleb(cursor);
		vec_push(&header->files, file);
	}
}

/* Reads one of the two lists of DWARF 5, each of which has its own columns. */
static bool read_entries(const struct unit *unit, const struct encoding *encoding,
	struct cursor *cursor, struct line_files *ret)
{
	struct {
		uint64_t content;
		unsigned form;
	} columns[COLUMNS_MAX];
	size_t n_columns = cursor_u8(cursor);

	if (n_columns > COLUMNS_MAX)
		return false;
	array_each(column, columns, n_columns) {
		column->content = cursor_uleb(cursor);
		column->form = (unsigned)cursor_uleb(cursor);
	}
	uint64_t n = cursor_uleb(cursor);
	/* each entry takes at least one byte */
	if (cursor->failed || n > cursor_left(cursor))
		return false;
	vec_reserve(ret, n);
	for (uint64_t i = 0; i < n && !cursor->failed; i++) {
		struct line_file file = {};

		array_each(column, columns, n_columns) {
			struct form_value value = form_read(cursor, column->form, 0, encoding);

			if (column->content == DW_LNCT_path)
				file.name = unit_string(unit, &value);
			else if (column->content == DW_LNCT_directory_index)
				file.dir = value.number;
		}
		if (!file.name)
			file.name = "";
		vec_push(ret, file);
	}
	return !cursor->failed;
}

struct cursor line_table_bytes(const struct unit *unit)
{
	struct sections *sections = unit->dwarf->sections;
	uint64_t at = unit->line_offset;
	struct cursor cursor = cursor_at(sections_part(sections, SECTION_LINE, at, 12), at);

	cursor_enter_unit(&cursor);
	return cursor_at(sections_part(sections, SECTION_LINE, at, 12 + cursor_left(&cursor)), at);
}

/*
 * Reads the header of UNIT's line table. Returns false if it is missing or broken. RET must be
 * deinitialized in any case.
 */
static bool read_header(struct unit *unit, struct line_header *ret)
{
	struct cursor cursor = line_table_bytes(unit);
	struct encoding *encoding = &ret->encoding;

	*ret = (struct line_header){.encoding.address_size = unit->encoding.address_size};
	encoding->offset_size = cursor_enter_unit(&cursor);
	uint16_t version = cursor_u16(&cursor);
	if (cursor.failed || version < 2 || version > 5 ||
		cursor_left(&cursor) > unit->dwarf->line_budget)
		return false;
	unit->dwarf->line_budget -= cursor_left(&cursor);
	encoding->version = (uint8_t)version;
	if (version >= 5) {
		encoding->address_size = cursor_u8(&cursor);
		cursor_u8(&cursor); /* segment_selector_size, not used */
	}
	uint64_t len = cursor_number(&cursor, encoding->offset_size);
	if (len > cursor_left(&cursor))
		return false;
	ret->program = (struct cursor){cursor.at + len, cursor.end, false, cursor.big};
	cursor.end = cursor.at + len;
	ret->min_instruction = cursor_u8(&cursor);
	unsigned operations = version >= 4 ? cursor_u8(&cursor) : 1;
	cursor_u8(&cursor); /* default_is_stmt: all rows are used */
	ret->line_base = (int8_t)cursor_u8(&cursor);
	ret->line_range = cursor_u8(&cursor);
	ret->opcode_base = cursor_u8(&cursor);
	ret->opcode_lengths = cursor.at;
	cursor_skip(&cursor, ret->opcode_base ? ret->opcode_base - 1u : 0);
	/* only Itanium's tables count several operations in an instruction */
	if (cursor.failed || !ret->line_range || !ret->opcode_base || operations > 1)
		return false;
	ret->per_range = 65536 / ret->line_range + 1u;
	if (version >= 5)
		return read_entries(unit, encoding, &cursor, &ret->dirs) &&
		       read_entries(unit, encoding, &cursor, &ret->files);
	read_old_entries(ret, &cursor);
	return true;
}

/* The program. */

struct machine {
	struct line_header *header;
	struct cursor cursor;
	struct line_row row;
	bool ended; /* the row ends its sequence, or none was read yet */
};

static uint32_t saturated(uint64_t number)
{
	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* Runs an extended opcode. Returns true if the row is complete. */
static bool run_extended(struct machine *machine)
{
	uint64_t len = cursor_uleb(&machine->cursor);
	struct cursor operands = machine->cursor;

	cursor_skip(&machine->cursor, len);
	if (machine->cursor.failed)
		return false;
	operands.end = machine->cursor.at;
	switch (cursor_u8(&operands)) {
	case DW_LNE_end_sequence:
		machine->ended = true;
		return true;
	case DW_LNE_set_address:
		machine->row.address = cursor_number(&operands, len <= 9 ? (unsigned)len - 1 : 8);
		break;
	case DW_LNE_define_file: {
		struct line_file file = {.name = cursor_string(&operands)};

		file.dir = cursor_uleb(&operands);
		if (!operands.failed)
			vec_push(&machine->header->files, file);
		break;
	}
	case DW_LNE_set_discriminator:
		machine->row.discriminator = saturated(cursor_uleb(&operands));
		break;
	}
	return false;
}

/* Does the same for a standard opcode. */
static bool run_standard(struct machine *machine, uint8_t opcode)
{
	const struct line_header *header = machine->header;
	struct cursor *cursor = &machine->cursor;
	struct line_row *row = &machine->row;

	switch (opcode) {
	case DW_LNS_copy:
		return true;
	case DW_LNS_advance_pc:
		row->address += cursor_uleb(cursor) * header->min_instruction;
		break;
	case DW_LNS_advance_line:
		row->line += (uint32_t)cursor_sleb(cursor);
		break;
	case DW_LNS_set_file:
		row->file = saturated(cursor_uleb(cursor));
		break;
	case DW_LNS_set_column:
		row->column = saturated(cursor_uleb(cursor));
		break;
	case DW_LNS_const_add_pc:
		row->address +=
			(255u - header->opcode_base) / header->line_range * header->min_instruction;
		break;
	case DW_LNS_fixed_advance_pc:
		row->address += cursor_u16(cursor);
		break;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin:
		break;
	default:
		for (unsigned n = header->opcode_lengths[opcode - 1]; n; n--)
			cursor_uleb(cursor);
	}
	return false;
}

/*
 * Runs the most frequent opcodes on copies of the state, which stay in registers. Returns true if a
 * row is complete, false if the next opcode is not one of these.
 */
static inline __attribute__((always_inline)) bool run_frequent(struct machine *machine)
{
	const struct line_header *header = machine->header;
	const uint8_t *at = machine->cursor.at, *end = machine->cursor.end;
	struct line_row row = machine->row;
	bool complete = false;

	while (!complete && at < end) {
		uint8_t opcode = *at;

		if (opcode >= header->opcode_base) {
			unsigned adjusted = (unsigned)(opcode - header->opcode_base);
			unsigned by = adjusted * header->per_range >> 16;

			row.address += by * header->min_instruction;
			row.line += (uint32_t)(header->line_base +
					       (int)(adjusted - by * header->line_range));
			complete = true;
			at++;
		} else if (opcode == DW_LNS_copy) {
			complete = true;
			at++;
		} else if (opcode == DW_LNS_negate_stmt) {
			at++;
		} else if (opcode == DW_LNS_set_column && end - at > 1 && at[1] < 0x80) {
			row.column = at[1];
			at += 2;
		} else if (opcode == DW_LNS_advance_line && end - at > 1 && at[1] < 0x80) {
			row.line += (uint32_t)((at[1] ^ 0x40) - 0x40); /* sign-extended */
			at += 2;
		} else {
			break;
		}
	}
	machine->cursor.at = at;
	machine->row = row;
	return complete;
}

/*
 * Runs up to the next row. Returns false at the end of the program. Inlined because a call takes as
 * long as most rows.
 */
static inline __attribute__((always_inline)) bool next_row(struct machine *machine)
{
	struct cursor *cursor = &machine->cursor;

	if (machine->ended) {
		machine->row = (struct line_row){.file = 1, .line = 1};
		machine->ended = false;
	}
	machine->row.discriminator = 0;
	while (!run_frequent(machine)) {
		if (cursor->at >= cursor->end)
			return false;
		uint8_t opcode = *cursor->at++;
		if (opcode ? run_standard(machine, opcode) : run_extended(machine))
			return !cursor->failed;
	}
	return true;
}

/*
 * Adds the run of states from FIRST on, which ends at END. Drops runs at 0, 1 and -1: discarded
 * code.
 */
static void close_run(struct line_table *table, size_t first, uint64_t end)
{
	size_t n = table->states.len - first;
	uint64_t start = n ? table->states.data[first].row.address : 0;

	if (start <= 1 || start >= end) {
		table->states.len = first;
		return;
	}
	range_map_add(&table->map, start, end, (uint32_t)table->runs.len, 0);
	vec_push(&table->runs, (struct line_run){first, n});
}

struct line_table *lines_create(struct unit *unit)
{
	struct line_table *table = xnew(table);
	size_t first = 0, rows = 0; /* of the run so far: its first state, the number of its rows */
	uint64_t last = 0;

	if (unit->line_offset == UINT64_MAX || !read_header(unit, &table->header)) {
		lines_destroy(table);
		return NULL;
	}
	struct machine machine = {
		.header = &table->header, .cursor = table->header.program, .ended = true};
	while (next_row(&machine) && !stop_asked()) {
		if (rows && machine.row.address < last) {
			close_run(table, first, last);
			rows = 0;
		}
		last = machine.row.address;
		if (machine.ended) {
			if (rows)
				close_run(table, first, last);
			rows = 0;
			continue;
		}
		if (!rows)
			first = table->states.len;
		if (rows++ % ROWS_PER_STATE == 0)
			vec_push(&table->states,
				(struct line_state){machine.row, machine.cursor.at});
	}
	if (rows)
		close_run(table, first, last);
	range_map_finish(&table->map);
	return table;
}

void lines_destroy(struct line_table *table)
{
	if (!table)
		return;
	vec_deinit(&table->header.dirs);
	vec_deinit(&table->header.files);
	vec_deinit(&table->states);
	vec_deinit(&table->runs);
	vec_deinit(&table->map);
	free(table);
}

bool lines_find(
	struct line_table *table, struct dwarf *dwarf, uint64_t address, struct line_row *ret)
{
	const struct range *range = range_map_find(&table->map, address);
	struct line_header *header = &table->header;

	if (!range || !dwarf->line_budget)
		return false;
	const struct line_run *run = &table->runs.data[range->value];
	const struct line_state *state = &table->states.data[run->first];
	/* the last state at or before ADDRESS; the first always is */
	state += sorted_count(state + 1, run->n - 1, .row.address <= address);
	struct machine machine = {
		.header = header,
		.cursor = {state->next, header->program.end, false, header->program.big},
		.row = state->row,
	};
	size_t n_files = header->files.len;
	do
		*ret = machine.row;
	while (next_row(&machine) && !machine.ended && machine.row.address <= address &&
		machine.row.address >= ret->address);
	/* undo DW_LNE_define_file: lines_create() already added these files */
	header->files.len = n_files;
	/* a program can have megabytes between two rows, read again for each address */
	uint64_t bytes = (uint64_t)(machine.cursor.at - state->next);
	if (bytes > BYTES_FREE)
		dwarf->line_budget -= bytes < dwarf->line_budget ? bytes : dwarf->line_budget;
	return true;
}

const char *lines_path(
	struct line_table *table, const struct unit *unit, uint64_t index, struct arena *arena)
{
	struct line_header *header = &table->header;
	const bool old = header->encoding.version < 5; /* files and directories count from 1 */

	if (old && !index--)
		return NULL;
	if (index >= header->files.len || !*header->files.data[index].name)
		return NULL;
	struct line_file *file = &header->files.data[index];
	if (file->path)
		return file->path;
	const char *dir = NULL, *path = file->name;
	uint64_t number = file->dir;
	if (old && !number--)
		dir = unit->comp_dir;
	else if (number < header->dirs.len)
		dir = header->dirs.data[number].name;
	if (dir && *dir && *path != '/')
		path = source_path_join(arena, dir, path);
	file->path = source_path(arena, unit->comp_dir, path);
	return file->path;
}
