// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/line_set.h"

#include <stdlib.h>
#include <string.h>

#include "model/weight.h"
#include "util/table.h"
#include "util/xalloc.h"

enum { SLOTS_MIN = 1024 };

/* The number of a line from 1, 0: free; and half of its hash, which tells most others. */
struct line_slot {
	uint32_t number, hash;
};

void line_set_deinit(struct line_set *table)
{
	vec_deinit(&table->lines);
	free(table->slots);
	arena_deinit(&table->memory);
	text_deinit(&table->codes);
}

static struct line_slot *free_slot(const struct line_set *table, uint32_t hash)
{
	size_t i = hash;

	while (table->slots[i & (table->cap - 1)].number)
		i++;
	return &table->slots[i & (table->cap - 1)];
}

static void grow(struct line_set *table)
{
	struct line_slot *old = table->slots;
	size_t old_cap = table->cap;

	if (!old_cap)
		table->seed = table_seed();
	table->cap = old_cap ? 2 * old_cap : SLOTS_MIN;
	table->slots = xcalloc_huge(table->cap * sizeof(*table->slots));
	for (size_t i = 0; i < old_cap; i++)
		if (old[i].number)
			*free_slot(table, old[i].hash) = old[i];
	free(old);
}

static size_t add_line(struct line_set *table)
{
	const struct text *codes = &table->codes;
	struct line *line = arena_alloc(&table->memory, sizeof(*line) + codes->len);

	line->weight = 0;
	line->len = (uint32_t)codes->len;
	memcpy(line->codes, codes->data, codes->len);
	vec_push(&table->lines, line);
	return table->lines.len - 1;
}

/* The index of the line whose codes stand in `codes`. */
static size_t line_at(struct line_set *table)
{
	const struct text *codes = &table->codes;

	if (table->lines.len * 4 >= table->cap * 3)
		grow(table);
	uint32_t hash = (uint32_t)table_hash(table->seed, codes->data, codes->len);
	for (size_t i = hash;; i++) {
		struct line_slot *slot = &table->slots[i & (table->cap - 1)];

		if (!slot->number) {
			*slot = (struct line_slot){(uint32_t)table->lines.len + 1, hash};
			return add_line(table);
		}
		if (slot->hash != hash)
			continue;
		struct line *line = table->lines.data[slot->number - 1];
		if (line->len == codes->len && !memcmp(line->codes, codes->data, codes->len))
			return slot->number - 1;
	}
}

size_t line_set_add(struct line_set *table, const uint32_t *numbers, size_t n, uint64_t weight)
{
	varint_write_all(&table->codes, numbers, n);
	size_t index = line_at(table);
	weight_add(&table->lines.data[index]->weight, weight);
	return index;
}
