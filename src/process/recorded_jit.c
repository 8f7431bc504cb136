// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recorded_jit.h"

#include <string.h>

static void add(struct jit_map *map, const struct recorded_jit *jit)
{
	struct jit_symbol *last = map->symbols.len ? &map->symbols.data[map->symbols.len - 1] : NULL;

	if (!jit->is_line) {
		(void)jit_map_add(map, jit->start, jit->size, jit->text, strlen(jit->text));
		return;
	}
	const struct jit_line line = {jit->start, jit->text, jit->line, jit->column};
	/* Out of order they could not be searched. */
	if (!last || (last->n_lines && map->lines.data[map->lines.len - 1].address > jit->start))
		return;
	if (!last->n_lines)
		last->first_line = map->lines.len;
	vec_push(&map->lines, line);
	last->n_lines++;
}

void recorded_jit_read(const struct recorded_life *life, struct recorded_jits *ret)
{
	const struct recorded_jit *jits = life->recording->jits.data;
	size_t first, end;

	while (ret->len < life->n_programs)
		(void)vec_add(ret);
	if (!ret->len || !recording_jits(life->recording, life->pid, &first, &end))
		return;
	for (size_t i = first; i < end; i++) {
		uint32_t program = recorded_life_program(life, jits[i].time);

		add(&ret->data[program - 1], &jits[i]);
	}
	for (size_t i = 0; i < ret->len; i++)
		jit_map_finish(&ret->data[i]);
}
