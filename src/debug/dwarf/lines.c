// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/lines.h"

#include <dwarf.h>
#include <stdlib.h>

#include "util/stop.h"
#include "util/xalloc.h"

/* rows per stored state */
enum { ROWS_PER_STATE = 32 };
/* a search that reads more bytes is charged to `line_budget` */
enum { BYTES_FREE = 1024 };

struct machine {
	struct line_header *header;
	struct cursor cursor;
	struct line_row row;
	uint32_t operation;
	bool ended; /* the row ends its sequence */
};

enum extent {
	MORE, /* continue with the next opcode */
	ROW,  /* the row is complete */
};

static void reset(struct machine *machine)
{
	machine->row = (struct line_row){.file = 1, .line = 1};
	machine->operation = 0;
	machine->ended = false;
}

static inline void advance(struct machine *machine, uint64_t by)
{
	const struct line_header *header = machine->header;

	if (__builtin_expect(header->max_operations == 1, 1)) {
		machine->row.address += by * header->min_instruction;
		return;
	}
	by += machine->operation;
	machine->row.address += by / header->max_operations * header->min_instruction;
	machine->operation = (uint32_t)(by % header->max_operations);
}

static uint32_t saturated(uint64_t number)
{
	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static void define_file(struct machine *machine, struct cursor *cursor)
{
	struct line_file file = {.name = cursor_string(cursor)};

	file.dir = cursor_uleb(cursor);
	if (!cursor->failed)
		vec_push(&machine->header->files, file);
}

static enum extent run_extended(struct machine *machine)
{
	uint64_t len = cursor_uleb(&machine->cursor);
	struct cursor operands = machine->cursor;

	cursor_skip(&machine->cursor, len);
	if (machine->cursor.failed)
		return MORE;
	operands.end = machine->cursor.at;
	switch (cursor_u8(&operands)) {
	case DW_LNE_end_sequence:
		machine->ended = true;
		return ROW;
	case DW_LNE_set_address:
		machine->row.address = cursor_number(&operands, len <= 9 ? (unsigned)len - 1 : 8);
		machine->operation = 0;
		break;
	case DW_LNE_define_file:
		define_file(machine, &operands);
		break;
	case DW_LNE_set_discriminator:
		machine->row.discriminator = saturated(cursor_uleb(&operands));
		break;
	}
	return MORE;
}

static enum extent run_standard(struct machine *machine, uint8_t opcode)
{
	const struct line_header *header = machine->header;
	struct cursor *cursor = &machine->cursor;
	struct line_row *row = &machine->row;

	switch (opcode) {
	case DW_LNS_copy:
		return ROW;
	case DW_LNS_advance_pc:
		advance(machine, cursor_uleb(cursor));
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
		advance(machine, (255u - header->opcode_base) / header->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		row->address += cursor_u16(cursor);
		machine->operation = 0;
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
	return MORE;
}

static inline void run_special(struct machine *machine, uint8_t opcode)
{
	const struct line_header *header = machine->header;
	unsigned adjusted = (unsigned)(opcode - header->opcode_base);

	unsigned by = adjusted * header->per_range >> 16;

	advance(machine, by);
	machine->row.line +=
		(uint32_t)(header->line_base + (int)(adjusted - by * header->line_range));
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

	while (!complete && at < end && header->max_operations == 1) {
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

	if (machine->ended)
		reset(machine);
	machine->row.discriminator = 0;
	while (!run_frequent(machine)) {
		enum extent extent = ROW;

		if (cursor->at >= cursor->end)
			return false;
		uint8_t opcode = *cursor->at++;
		if (opcode >= machine->header->opcode_base)
			run_special(machine, opcode);
		else
			extent = opcode ? run_standard(machine, opcode) : run_extended(machine);
		if (extent == ROW)
			return !cursor->failed;
	}
	return true;
}

static void keep_state(struct line_table *table, const struct machine *machine)
{
	vec_push(&table->states,
		(struct line_state){machine->row, machine->operation, machine->cursor.at});
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

static void run_program(struct line_table *table)
{
	struct machine machine = {.header = &table->header, .cursor = table->header.program};
	size_t first = 0, rows = 0;
	uint64_t last = 0;

	reset(&machine);
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
			keep_state(table, &machine);
	}
	if (rows)
		close_run(table, first, last);
	range_map_finish(&table->map);
}

struct line_table *lines_create(struct unit *unit)
{
	struct line_table *table = xcalloc(1, sizeof(*table));

	if (unit->line_offset == UINT64_MAX || !line_header_read(unit, &table->header)) {
		lines_destroy(table);
		return NULL;
	}
	run_program(table);
	return table;
}

void lines_destroy(struct line_table *table)
{
	if (!table)
		return;
	line_header_deinit(&table->header);
	vec_deinit(&table->states);
	vec_deinit(&table->runs);
	range_map_deinit(&table->map);
	free(table);
}

/* Returns the last state of RUN at or before ADDRESS, which must not be before the first state. */
static const struct line_state *state_before(
	const struct line_table *table, const struct line_run *run, uint64_t address)
{
	const struct line_state *states = &table->states.data[run->first];

	return &states[sorted_count(states + 1, run->n - 1, .row.address <= address)];
}

/*
 * Limits repeated reading: a program can have megabytes between two rows, read again for each
 * address.
 */
static void charge(struct dwarf *dwarf, size_t bytes)
{
	if (bytes > BYTES_FREE)
		dwarf->line_budget -= bytes < dwarf->line_budget ? bytes : dwarf->line_budget;
}

bool lines_find(
	struct line_table *table, struct dwarf *dwarf, uint64_t address, struct line_row *ret)
{
	const struct range *range = range_map_find(&table->map, address);

	if (!range || !dwarf->line_budget)
		return false;
	const struct line_run *run = &table->runs.data[range->value];
	const struct line_state *state = state_before(table, run, address);
	struct machine machine = {
		.header = &table->header,
		.cursor = {state->next, table->header.program.end, false},
		.row = state->row,
		.operation = state->operation,
	};
	size_t n_files = table->header.files.len;
	do
		*ret = machine.row;
	while (next_row(&machine) && !machine.ended && machine.row.address <= address &&
		machine.row.address >= ret->address);
	/* undo DW_LNE_define_file: run_program() already added these files */
	table->header.files.len = n_files;
	charge(dwarf, (size_t)(machine.cursor.at - state->next));
	return true;
}
