// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/jit.h"

#include <string.h>

#include "process/recording/tasks.h"
#include "util/vec.h"

static void add_line(struct jit_map *map, const struct recorded_row *row)
{
	struct jit_symbol *last = map->symbols.len ? vec_last(&map->symbols) : NULL;

	/* lines must ascend, for binary search */
	if (!last || row->line.address < jit_map_last(map)->start ||
		row->line.address >= jit_map_last(map)->end ||
		(last->n_lines && vec_last(&map->lines)->address > row->line.address))
		return;
	/* the recording may free its rows; most lines repeat the last file */
	const char *file = map->lines.len ? vec_last(&map->lines)->file : "";
	if (strcmp(file, row->text.at) != 0)
		file = arena_string(&map->strings, row->text.at);
	const struct jit_line line = {
		row->line.address, file, (uint32_t)row->line.line, (uint32_t)row->line.column};
	if (!last->n_lines)
		last->first_line = (uint32_t)map->lines.len;
	vec_push(&map->lines, line);
	last->n_lines++;
}

/* Adds the code in ROW. SINCE: ns before which it did not exist; 0 if unknown. */
static void add_symbol(const struct process_record *record, const struct recorded_row *row,
	uint64_t since, struct jit_map *map)
{
	if (!jit_map_add(map, row->code.start, row->code.size, row->text.at, scan_left(&row->text)))
		return;
	/* the code belongs to the program that ran then: from one exec to the next */
	const uint64_t *programs = record->programs.data;
	size_t n = sorted_count(programs, record->programs.len, <= row->time);
	uint64_t begin = n ? programs[n - 1] : record->begin;
	struct history_span *span = jit_map_last(map);

	span->since = since > begin ? since : begin;
	span->begin = row->time;
	span->gone = n < record->programs.len ? programs[n] - 1 : 0;
}

void recorded_jit_read(const struct process_record *record, struct jit_map *ret)
{
	const struct recorded_row *rows;
	size_t n = recording_rows(record->recording, record->pid, ROW_JIT, &rows);
	uint64_t since = 0;

	array_each(row, rows, n) {
		if (row->kind == ROW_JITLOOK)
			since = row->time + 1;
		else if (row->time < record->begin || (record->until && row->time >= record->until))
			continue;
		else if (row->kind == ROW_JITLINE)
			add_line(ret, row);
		else
			add_symbol(record, row, row->kind == ROW_JIT ? since : row->time, ret);
	}
	history_finish(&ret->history);
}
