/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One map entry while it is read: raw bytes and formatted fields, of the key and of each CPU's
 * value, in whatever order the dump gives them.
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

#define ENTRY_MAX (1 << 20) /* raw bytes, and bytes of names and texts, of one entry */
#define ENTRY_FIELDS_MAX 65536
#define ENTRY_KEY_FIELDS_MAX 1024 /* they come with every CPU's value */
#define ENTRY_CPUS_MAX 8192	  /* CONFIG_NR_CPUS of the biggest x86 build */

enum { ENTRY_KEY = -1 }; /* as a field's owner; values are 0, 1, … */

struct entry_value {
	int cpu;  /* -1: the map is not per CPU */
	bool raw; /* bytes [at, at+len) of `raw` are there */
	size_t at, len;
};

struct entry_field {
	int owner;	    /* ENTRY_KEY or an index of `values` */
	uint32_t number;    /* in the order of the dump */
	size_t elements;    /* of an array that is all of the value and has a sum; 0: other */
	struct field field; /* what it points to is in `strings` */
};

struct entry {
	struct text key, raw, error;
	struct arena strings;
	size_t strings_len;	     /* bytes there of fields */
	const struct wanted *wanted; /* set by the reader, may be NULL */
	bool has_key;		     /* raw */
	bool has_error;		     /* ERROR says why there is no value */
	bool repeated;		     /* a value came twice; the last one counts */
	bool too_large;		     /* something was left out: not to be used */
	bool is_map;		     /* the value is the map with ID inner_map: not to be used */
	bool odd;		     /* a raw key or value is not all bytes: not to be used */
	uint64_t inner_map;
	struct VEC(struct entry_value) values;
	struct VEC(struct entry_field) fields;
	size_t key_fields;	      /* how many of them are the key's */
	struct VEC(struct field) row; /* scratch of entry_finish() */
};

/* Zero-filled is empty. */
void entry_deinit(struct entry *entry);
/* Forgets the content, keeps the memory. */
void entry_clear(struct entry *entry);
/* Adds a value whose CPU is not known yet and returns its index. */
int entry_add_value(struct entry *entry);
/* The value added last is CPU's (-1: the only one), and one with what came of it before. */
void entry_set_cpu(struct entry *entry, int cpu);
/* The raw bytes that `raw` got since it had AT bytes are those of the value added last. */
void entry_set_raw(struct entry *entry, size_t at);
/* Adds a copy of FIELD, of key or value. ELEMENTS: as in struct entry_field. */
void entry_add_field(struct entry *entry, int owner, const struct field *field, size_t elements);
/* Whether it has a raw key of no bytes, as what bpftool takes from a queue or stack. */
bool entry_is_keyless(const struct entry *entry);
/* Returns true if it has something to pass on. */
bool entry_is_whole(const struct entry *entry);
/*
 * Gives DUMP's collector one entry a value (so one per CPU), or the kernel's error in place of it;
 * or warns that the entry at POSITION is skipped, and why.
 */
void entry_finish(struct entry *entry, struct dump *dump, const char *position);
