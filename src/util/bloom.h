/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Bloom filter (one hash function) that finds values which occur more than once. Add all values
 * before the first query. Values are given by their hashes, so a few unique values may be reported
 * as repeated; no repeated value is missed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bloom {
	uint64_t *once, *again; /* bit maps: values seen at least once, at least twice */
	unsigned int bits;	/* bits of an index into the maps */
};

/* Allocates the maps for about N values. */
void bloom_init(size_t n, struct bloom *ret);
void bloom_deinit(struct bloom *bloom);
void bloom_add(struct bloom *bloom, uint64_t hash);
bool bloom_has_repeated(const struct bloom *bloom, uint64_t hash);
/* Returns a hash of LEN bytes (FNV-1a). */
uint64_t bloom_hash(const void *p, size_t len);
