/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores the entries of a map other than a stack map, or the rows of a table, until their stacks
 * have been read. The order is that of the dump.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/collector.h"
#include "input/counts/packed_rows.h"
#include "input/row.h"
#include "input/stacks/stack_store.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

struct count_entry {
	const uint8_t *packed;	     /* packed row, see count_map_row(); NULL: raw bytes only */
	const uint8_t *raw;	     /* packed, see count_map_raw(); NULL: formatted fields only */
	uint32_t key_len, value_len; /* of the raw bytes; 0: none */
	int cpu;		     /* -1: not per-CPU */
	bool zero;		     /* all of the value is zero */
	bool removed;		     /* by the next count_map_filter() */
	size_t head;		     /* index of the first entry with this key, on any CPU */
	uint64_t time;		     /* time of an event, in ns; 0: unknown */
	const char *place;	     /* position without the number at its end; NULL: unknown */
	uint64_t place_number;	     /* 0: none */
};

/* why the map is read */
enum count_choice {
	COUNT_FOUND,	 /* a dump among others, or --map */
	COUNT_GIVEN,	 /* --counts: it is used in any case */
	COUNT_AUTOMATIC, /* --map=prog:ID: one of the program's maps */
};

struct count_map {
	char *name;
	enum count_choice choice;
	bool is_rows, is_events; /* rows of a table, or events, which are rows as well */
	bool lookups;		 /* each entry was looked up, and is a document of its own */
	bool keeps_raw;		 /* keep raw bytes beside formatted fields, for a given layout */
	bool per_cpu;		 /* some entry is per-CPU */
	bool unnamed;		 /* some field is FIELD_UNNAMED */
	bool of_bpftrace;	 /* unnamed fields have bpftrace stacks (input/roles/unnamed.h) */
	bool sideless;	   /* bpftrace stacks of unknown side: address spaces overlap (s390x) */
	bool after_stacks; /* a stack map was read before this map */
	bool peeked;	   /* a queue whose only entry was looked at, and not yet taken */
	bool empty;	   /* an array without set elements; its only entry is zero */
	struct VEC(struct count_entry) entries;
	struct arena memory;		/* memory of the entries */
	struct packed_rows *rows, *raw; /* formatted fields, and raw bytes; never NULL */
	/* packed key and CPU → index + 1; freed once entries are not added, found or replaced */
	struct table keys;
	struct text key;		 /* scratch */
	struct VEC(struct field) fields; /* scratch */
	uint64_t repeated;		 /* entries replaced by a later one */
};

/* Loops over the indices of the entries of MAP, or only of the first ones of their keys. */
#define count_each(i, map) for (size_t i = 0; i < (map)->entries.len; i++)
#define count_key_each(i, map)                                                                     \
	count_each(i, map)                                                                         \
		if ((map)->entries.data[i].head == i)

/* Creates a map, or the rows of a table or of events if IS_ROWS. Copies NAME. */
struct count_map *count_map_create(const char *name, bool is_rows);
void count_map_destroy(struct count_map *map);
/* Adds a copy of ENTRY, or replaces an earlier entry with the same key and CPU by it. */
void count_map_add(struct count_map *map, const struct map_entry *entry);
/* Adds a copy of ROW and POSITION. TIME is in ns; 0: unknown. */
void count_map_add_row(
	struct count_map *map, const struct row *row, const char *position, uint64_t time);
/* Returns the fields of entry I, valid until the next call. Its `n` is 0 if there are none. */
struct row count_map_row(const struct count_map *map, size_t i);
/*
 * Returns the raw key and the raw value of entry I as two fields, valid until the next call of this
 * or of one of the next two, which return one of them.
 */
struct row count_map_raw(const struct count_map *map, size_t i);
const uint8_t *count_map_key(const struct count_map *map, size_t i);
const uint8_t *count_map_value(const struct count_map *map, size_t i);
/* Returns "FILE:LINE" or "FILE: byte N", allocated in MEMORY or the map, or NULL if unknown. */
const char *count_map_position(const struct count_map *map, size_t i, struct arena *memory);
/* Returns the index of the entry with KEY (LEN bytes) and CPU, or SIZE_MAX. */
size_t count_map_find(struct count_map *map, const void *key, size_t len, int cpu);
/*
 * Gives entry I the value of ENTRY, which has the same key and CPU. Returns false, and does
 * nothing, if the fields of the value differ.
 */
bool count_map_replace(struct count_map *map, size_t i, const struct map_entry *entry);
/* Removes the entries that are marked as `removed`. Updates `head`. */
void count_map_filter(struct count_map *map);
/* Removes all entries. */
void count_map_clear(struct count_map *map);
/* Adds the stacks of STORE, which must not be sealed, as the raw entries they were read from. */
void count_map_add_stacks(struct count_map *map, const struct stack_store *store);
/*
 * Adds the entries of FROM to MAP, and destroys FROM. They replace entries with the same key and
 * CPU.
 */
void count_map_append(struct count_map *map, struct count_map *from);

/*
 * Removes the zero elements of MAP, for each CPU, if it is an array: a dump has all elements, and
 * those never written are zero. MAP must be dumped completely. If all are zero, keeps the first one
 * and marks the map as `empty`.
 *
 * The dump does not give the type of its map, but the keys of an array are the numbers 0 to n-1,
 * each once, in order, and 4 bytes long. A hash with exactly these keys in this order is mistaken
 * for an array; hashes are seeded, so the probability is 1 in n!. Then it loses entries with the
 * value 0: counts that are not printed anyway, or, if there are few keys, members of a set whose
 * stack IDs are 0 to n-1, the first buckets of the stack map.
 */
void count_map_compact(struct count_map *map);
