// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/jit.h"

#include <string.h>

#include "process/recording/tasks.h"
#include "util/cleanup.h"
#include "util/table.h"

void recorded_jit_deinit(struct recorded_code *code)
{
	jit_map_deinit(&code->map);
	history_deinit(&code->history);
}

/* The recording may forget what it read; one file has many lines. */
static const char *file_of(struct jit_map *map, const char *file)
{
	size_t n = map->lines.len;

	return n && !strcmp(map->lines.data[n - 1].file, file) ? map->lines.data[n - 1].file
							       : arena_string(&map->strings, file);
}

static void add_line(struct jit_map *map, const struct recorded_jit *jit)
{
	struct jit_symbol *last = map->symbols.len ? vec_last(&map->symbols) : NULL;

	/* Out of order they could not be searched. */
	if (!last || (last->n_lines && vec_last(&map->lines)->address > jit->start))
		return;
	const struct jit_line line = {jit->start, file_of(map, jit->text), jit->line, jit->column};
	if (!last->n_lines)
		last->first_line = map->lines.len;
	vec_push(&map->lines, line);
	last->n_lines++;
}

/* The time from which on the process ran the program that it ran at TIME, and the next one's. */
static void program_at(
	const struct recorded_life *life, uint64_t time, uint64_t *begin_ret, uint64_t *end_ret)
{
	size_t n = sorted_count(life->programs.data, life->programs.len, <= time);

	*begin_ret = n ? life->programs.data[n - 1] : life->begin;
	*end_ret = n < life->programs.len ? life->programs.data[n] : 0;
}

static void add_symbol(const struct recorded_life *life, const struct recorded_jit *jit,
	struct table *names, struct recorded_code *code)
{
	uint64_t begin, end;

	if (!jit_map_add(&code->map, jit->start, jit->size, jit->text, strlen(jit->text)))
		return;
	program_at(life, jit->time, &begin, &end);
	/* The map may be full, and what it added last be everything that is not known. */
	const struct jit_symbol *symbol = vec_last(&code->map.symbols);
	(void)history_add(&code->history,
		(struct history_span){
			.start = symbol->start,
			.end = symbol->end,
			.since = jit->since > begin ? jit->since : begin,
			.begin = jit->time,
			.gone = end ? end - 1 : 0,
			.what = (uint32_t)table_number(names, symbol->name, strlen(symbol->name)),
			.item = (uint32_t)code->map.symbols.len - 1,
		});
}

void recorded_jit_read(const struct recorded_life *life, struct recorded_code *ret)
{
	scope_guard(table_deinit) struct table names = {};
	const struct recorded_jit *jits;
	size_t n = recording_jits(life->recording, life->pid, &jits);

	for (size_t i = 0; i < n; i++) {
		if (jits[i].time < life->begin || (life->until && jits[i].time >= life->until))
			continue;
		if (jits[i].is_line)
			add_line(&ret->map, &jits[i]);
		else
			add_symbol(life, &jits[i], &names, ret);
	}
	history_finish(&ret->history);
}

const struct jit_symbol *recorded_jit_find(const struct recorded_code *code, uint64_t address,
	uint64_t time, const struct jit_line **line_ret, bool *ambiguous)
{
	const struct history_span *span = history_at(&code->history, address, time, ambiguous);
	const struct jit_symbol *symbol = span ? &code->map.symbols.data[span->item] : NULL;

	*line_ret = NULL;
	if (!symbol || (!*symbol->name && !*ambiguous))
		return NULL;
	*line_ret = jit_map_line(&code->map, symbol, address);
	return symbol;
}
