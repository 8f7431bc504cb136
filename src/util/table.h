/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table from byte strings to 64-bit values. Keys are copied. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/vec.h"

struct table_slot {
	const char *key; /* NULL if the slot is free */
	size_t key_len;
	uint64_t hash, value;
};

struct table {
	struct table_slot *slots;
	size_t len, cap; /* used and total slots; cap is 0 or a power of two */
	/* seed of the hashes: constant in a process, unknown to whoever wrote the input */
	uint64_t seed;
	struct arena keys;
};

/*
 * The hash function, for other kinds of tables: crafted input cannot make keys collide. The seed is
 * never 0.
 */
uint64_t table_seed(void);
uint64_t table_hash(uint64_t seed, const void *key, size_t len);

void table_deinit(struct table *table);
/* Removes all keys, and keeps memory for reuse. */
void table_clear(struct table *table);
/* Removes the keys for which KEEP returns false, and shrinks the table. KEEP may change values. */
void table_keep(struct table *table, bool (*keep)(void *context, uint64_t *value), void *context);
/*
 * Returns the address of KEY's value, or NULL if there is none. It is valid until the next
 * table_at(), table_clear(), table_keep() or table_deinit().
 */
uint64_t *table_find(const struct table *table, const void *key, size_t key_len);
/*
 * Like table_find(), but adds KEY with value 0 if it is new. Sets ADDED (may be NULL) to true if
 * so, else to false.
 */
uint64_t *table_at(struct table *table, const void *key, size_t key_len, bool *added);
/*
 * Returns the table's copy of KEY, NUL-terminated, and adds KEY if it is new: equal strings have
 * one address, which is valid until table_clear(), table_keep() or table_deinit().
 */
const char *table_string(struct table *table, const void *key, size_t key_len);
/*
 * Returns the number of KEY, counting from 1 in the order of first use. All values of TABLE must
 * come from this function.
 */
uint64_t table_number(struct table *table, const void *key, size_t key_len);
/*
 * Yields the element of vector V whose index TABLE has under KEY. If KEY is new, adds it and a
 * zero-filled element.
 */
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
