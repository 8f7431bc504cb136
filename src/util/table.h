/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table from byte strings to 64-bit values; keys are copied. Zero-filled is empty. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/vec.h"

struct table_slot {
	const char *key; /* NULL: free */
	size_t key_len;
	uint64_t hash, value;
};

struct table {
	struct table_slot *slots;
	size_t len, cap; /* used and all slots; cap is 0 or a power of two */
	uint64_t seed;	 /* of the hashes: constant in a process, unknown to input */
	struct arena keys;
};

/* For tables of other kinds: hashes that chosen input cannot make collide. The seed is never 0. */
uint64_t table_seed(void);
uint64_t table_hash(uint64_t seed, const void *key, size_t len);

void table_deinit(struct table *table);
/* Removes all keys, and keeps the memory for as many. */
void table_clear(struct table *table);
/* Keeps the keys whose values KEEP wants, which may change them; memory shrinks with what is left. */
void table_keep(struct table *table, bool (*keep)(void *context, uint64_t *value), void *context);
/*
 * The address of the value under KEY (valid until the next table_at() or table_deinit()), NULL if
 * there is none.
 */
uint64_t *table_find(const struct table *table, const void *key, size_t key_len);
/* Like table_find(), but adds KEY with value 0 when it is new; ADDED (may be NULL) says so. */
uint64_t *table_at(struct table *table, const void *key, size_t key_len, bool *added);
/*
 * The number of KEY in a table of nothing but numbers: from 1, in the order in which keys were first
 * asked for.
 */
uint64_t table_number(struct table *table, const void *key, size_t key_len);
/* The element of the vector V whose index TABLE has under KEY; a new key gets a new one, zero-filled. */
#define vec_keyed(v, table, key, key_len)                                                          \
	({                                                                                         \
		bool added_;                                                                       \
		uint64_t *index_ = table_at(table, key, key_len, &added_);                         \
		if (added_) {                                                                      \
			*index_ = (v)->len;                                                        \
			(void)vec_add(v);                                                          \
		}                                                                                  \
		&(v)->data[*index_];                                                               \
	})
