/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of one map that is no stack map, or the rows of a table, held until the stacks they
 * name have been read. Order is that of the dump.
 */
#ifndef INPUT_COUNT_MAP_H
#define INPUT_COUNT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/collector.h"
#include "input/record.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

struct count_entry {
	struct record record; /* n 0: raw bytes only */
	const uint8_t *key, *value;
	size_t key_len, value_len;
	int cpu;     /* -1: not per-CPU */
	size_t head; /* the first entry with this key, whatever its CPU; itself if it is the first */
	const char *place; /* NULL: unknown */
};

struct count_map {
	char *name;
	bool is_rows;
	bool per_cpu; /* some entry is */
	struct VEC(struct count_entry) entries;
	struct arena memory; /* of the entries */
	struct table keys;   /* key and CPU → index + 1 */
	struct text key;     /* scratch */
	uint64_t repeated;   /* entries that a later one replaced */
};

/* IS_ROWS: what is added are lines of a table, each of them counts. */
struct count_map *count_map_create(const char *name, bool is_rows);
void count_map_destroy(struct count_map *map);
/* Copies ENTRY; it replaces an earlier one with the same key and CPU. */
void count_map_add(struct count_map *map, const struct map_entry *entry);
/* Copies RECORD and PLACE; it replaces nothing. */
void count_map_add_row(struct count_map *map, const struct record *record, const char *place);

#endif
