// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "util/xalloc.h"

static uint64_t mix(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* AT_RANDOM (getauxval(3)) is random per process, so no input can be crafted to collide. */
uint64_t table_seed(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t seed = 0;

	if (random)
		memcpy(&seed, random, sizeof(seed));
	return seed | 1;
}

uint64_t table_hash(uint64_t seed, const void *key, size_t len)
{
	const unsigned char *s = key;
	uint64_t hash = seed ^ len, word;

	for (; len >= 8; s += 8, len -= 8) {
		memcpy(&word, s, 8);
		hash = mix(hash ^ word, 0x9e3779b97f4a7c15ULL);
	}
	word = 0;
	if (len)
		memcpy(&word, s, len);
	return mix(hash ^ word, 0xd6e8feb86659fd93ULL);
}

void table_deinit(struct table *table)
{
	free(table->slots);
	arena_deinit(&table->keys);
	*table = (struct table){};
}

void table_clear(struct table *table)
{
	if (table->cap)
		memset(table->slots, 0, table->cap * sizeof(*table->slots));
	table->len = 0;
	arena_clear(&table->keys);
}

void table_keep(struct table *table, bool (*keep)(void *context, uint64_t *value), void *context)
{
	struct table kept = {};

	array_each(slot, table->slots, table->cap)
		if (slot->key && keep(context, &slot->value))
			*table_at(&kept, slot->key, slot->key_len, NULL) = slot->value;
	table_deinit(table);
	*table = kept;
}

/* Returns the slot that holds KEY, or the free slot where it belongs. */
static struct table_slot *probe(
	const struct table *table, const void *key, size_t key_len, uint64_t hash)
{
	for (size_t i = hash;; i++) {
		struct table_slot *slot = &table->slots[i & (table->cap - 1)];

		if (!slot->key || (slot->hash == hash && slot->key_len == key_len &&
					  !memcmp(slot->key, key, key_len)))
			return slot;
	}
}

/*
 * Slots are allocated on huge pages: a growing table first reads each slot, at random, and then
 * writes it. In fresh memory that is two page faults per page.
 */
static void grow(struct table *table)
{
	struct table_slot *old = table->slots;
	size_t old_cap = table->cap;

	if (!old_cap)
		table->seed = table_seed();
	table->cap = old_cap ? old_cap * 2 : 16;
	table->slots = xcalloc_huge(table->cap * sizeof(*table->slots));
	for (size_t i = 0; i < old_cap; i++)
		if (old[i].key)
			*probe(table, old[i].key, old[i].key_len, old[i].hash) = old[i];
	free(old);
}

uint64_t *table_find(const struct table *table, const void *key, size_t key_len)
{
	if (!table->len)
		return NULL;
	struct table_slot *slot = probe(table, key, key_len, table_hash(table->seed, key, key_len));
	return slot->key ? &slot->value : NULL;
}

static struct table_slot *slot_at(struct table *table, const void *key, size_t key_len, bool *added)
{
	if (table->len * 4 >= table->cap * 3)
		grow(table);
	uint64_t hash = table_hash(table->seed, key, key_len);
	struct table_slot *slot = probe(table, key, key_len, hash);
	if (added)
		*added = !slot->key;
	if (!slot->key) {
		*slot = (struct table_slot){
			arena_copy(&table->keys, key, key_len), key_len, hash, 0};
		table->len++;
	}
	return slot;
}

uint64_t *table_at(struct table *table, const void *key, size_t key_len, bool *added)
{
	return &slot_at(table, key, key_len, added)->value;
}

const char *table_string(struct table *table, const void *key, size_t key_len)
{
	return slot_at(table, key, key_len, NULL)->key;
}

uint64_t table_number(struct table *table, const void *key, size_t key_len)
{
	bool added;
	uint64_t *number = table_at(table, key, key_len, &added);

	*number = added ? table->len : *number;
	return *number;
}
