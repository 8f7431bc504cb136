/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of one map that is no stack map, or the rows of a table, held until the stacks they
 * name have been read. Order is that of the dump.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/collector.h"
#include "input/counts/packed_bytes.h"
#include "input/counts/packed_rows.h"
#include "input/row.h"
#include "input/stacks/stack_store.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

struct count_entry {
	const uint8_t *packed;	     /* its row, see count_map_row(); NULL: raw bytes only */
	const uint8_t *key, *value;  /* packed, see count_map_key() */
	uint32_t key_len, value_len; /* bytes, not packed; 0: none */
	int cpu;		     /* -1: not per-CPU */
	bool numbered;		     /* its position ends in a number */
	bool zero;		     /* all of the value is */
	size_t head; /* the first entry with this key, whatever its CPU; itself if it is the first */
	uint64_t time;	   /* of an event, ns; 0: unknown */
	const char *place; /* its position without the number at its end; NULL: unknown */
	uint64_t place_number;
};

/* Who said that the map is to be read. */
enum count_choice {
	COUNT_FOUND,	 /* a dump among others, or --map */
	COUNT_GIVEN,	 /* --counts: it counts, whatever else there is */
	COUNT_AUTOMATIC, /* --map=prog:ID: one of the program's maps */
};

struct count_map {
	char *name;
	enum count_choice choice;
	bool is_rows, is_events; /* rows of a table, or events, which are rows as well */
	bool lookups; /* its entries were looked up one by one: each came as a document of its own */
	bool keeps_raw;	   /* raw bytes are kept beside formatted fields, for a given layout */
	bool per_cpu;	   /* some entry is */
	bool unnamed;	   /* some field is FIELD_UNNAMED */
	bool of_bpftrace;  /* unnamed fields were known by their shape (input/roles/unnamed.h) */
	bool sideless;	   /* as bpftrace's, but no number tells whose stacks they are (s390x) */
	bool after_stacks; /* a stack map had been read before this map was */
	bool peeked;	   /* a queue: its only entry was looked at, and not taken yet */
	bool empty;	   /* an array: its only entry stands for elements that were never set */
	struct VEC(struct count_entry) entries;
	struct arena memory;			    /* of the entries */
	struct packed_rows *rows;		    /* never NULL */
	struct packed_bytes *raw_keys, *raw_values; /* likewise */
	struct table keys; /* packed key and CPU → index + 1; empty once all are there */
	struct text key;   /* scratch */
	struct VEC(struct field) fields; /* scratch */
	uint64_t repeated;		 /* entries that a later one replaced */
};

/* IS_ROWS: what is added are lines of a table, each of them counts. */
struct count_map *count_map_create(const char *name, bool is_rows);
void count_map_destroy(struct count_map *map);
/* Copies ENTRY; it replaces an earlier one with the same key and CPU. */
void count_map_add(struct count_map *map, const struct map_entry *entry);
/* Copies RECORD and POSITION; it replaces nothing. TIME in ns, 0: unknown. */
void count_map_add_row(
	struct count_map *map, const struct row *row, const char *position, uint64_t time);
/* The fields of entry I, good until the next call; n 0: it has raw bytes only. */
struct row count_map_row(const struct count_map *map, size_t i);
/* The raw key and value of entry I, if it has them (key_len, value_len); good until the next such call. */
const uint8_t *count_map_key(const struct count_map *map, size_t i);
const uint8_t *count_map_value(const struct count_map *map, size_t i);
/* Gives entry I the fields of ROW, which may be what count_map_row() returned. */
void count_map_set_row(struct count_map *map, size_t i, const struct row *row);
/* "FILE:LINE" or "FILE: byte N", made in MEMORY; NULL: unknown. */
const char *count_map_position(const struct count_map *map, size_t i, struct arena *memory);
/* Nothing is added, found by its key or replaced any more. */
void count_map_seal(struct count_map *map);
/* The number of the entry with KEY (LEN bytes) and CPU; SIZE_MAX: there is none. */
size_t count_map_find(struct count_map *map, const void *key, size_t len, int cpu);
/*
 * Gives entry I the value of ENTRY, whose key and CPU it has. False, and nothing is done, where
 * its fields are not those that it had.
 */
bool count_map_replace(struct count_map *map, size_t i, const struct map_entry *entry);
/* Leaves only the entries that KEEPS wants. Keys that lose their first entry have a new one. */
void count_map_filter(struct count_map *map,
	bool (*keeps)(const struct count_map *map, size_t i, uint64_t wanted), uint64_t wanted);
/* Forgets all entries. */
void count_map_clear(struct count_map *map);
/* Adds the values of STORE, which is not sealed, as the entries that they were. */
void count_map_add_stacks(struct count_map *map, const struct stack_store *store);
/* Moves the entries of FROM to the end of MAP, where they may replace others. */
void count_map_append(struct count_map *map, const struct count_map *from);
