/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects one map entry while it is read: the raw bytes and formatted fields of its key and of
 * each CPU's value, which a dump may give in any order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/dump.h"
#include "input/row.h"
#include "input/wanted.h"
#include "util/arena.h"
#include "util/text.h"
#include "util/vec.h"

#define ENTRY_MAX (1 << 20) /* limit on raw bytes, and on bytes of names and texts */
#define ENTRY_FIELDS_MAX 65536
#define ENTRY_KEY_FIELDS_MAX 1024 /* they are repeated with the value of each CPU */
#define ENTRY_CPUS_MAX 8192	  /* largest CONFIG_NR_CPUS of x86 */

enum { ENTRY_KEY = -1 }; /* owner of the key's fields; values are 0, 1, … */

struct entry_value {
	int cpu;  /* -1: not per CPU */
	bool raw; /* entry.raw has its bytes, at [at, at + len) */
	size_t at, len;
};

struct entry_field {
	int owner;	    /* ENTRY_KEY, or index in `values` */
	uint32_t number;    /* index in dump order */
	size_t elements;    /* of an array that is the whole value and has a sum; else 0 */
	struct field field; /* its name and bytes are in `strings` */
};

struct entry {
	struct text key, raw, error;
	struct arena strings;
	size_t strings_len;	     /* bytes that fields use in STRINGS */
	const struct wanted *wanted; /* set by the reader; may be NULL */
	bool has_key;		     /* KEY is the raw key */
	bool has_error;		     /* the value could not be read; ERROR says why */
	bool repeated;		     /* a key or value occurs twice; the last one is used */
	bool too_large;		     /* something was left out: skip the entry */
	bool is_map;		     /* the value is the map with ID inner_map: skip the entry */
	bool odd; /* an element of a raw key or value is no byte: skip the entry */
	uint64_t inner_map;
	struct VEC(struct entry_value) values;
	struct VEC(struct entry_field) fields;
	size_t key_fields;	      /* number of FIELDS of the key */
	struct VEC(struct field) row; /* scratch of entry_finish() */
};

void entry_deinit(struct entry *entry);
/* Clears the content, but keeps the memory. */
void entry_clear(struct entry *entry);
/* Adds a value whose CPU is not known yet. Returns its index. */
int entry_add_value(struct entry *entry);
/* Sets the CPU (-1: not per CPU) of the last value. Merges it with an earlier one of that CPU. */
void entry_set_cpu(struct entry *entry, int cpu);
/* Makes the bytes of `raw` from AT on the raw bytes of the last value. */
void entry_set_raw(struct entry *entry, size_t at);
/*
 * Adds a copy of FIELD. OWNER and ELEMENTS are as in struct entry_field. If there are too many
 * fields or bytes, sets too_large instead.
 */
void entry_add_field(struct entry *entry, int owner, const struct field *field, size_t elements);
/* Returns true if there are a key and a value. */
bool entry_is_whole(const struct entry *entry);
/*
 * Passes the entry to DUMP's collector: one entry per value (CPU), or the error that replaces the
 * value. If the entry must be skipped, warns why. POSITION is for messages.
 */
void entry_finish(struct entry *entry, struct dump *dump, const char *position);
