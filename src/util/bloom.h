/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Bloom filter (one hash) of the values that come more than once: add all of them, and then ask. Values are hashes of
 * what is meant, so a few that come once are taken for repeated, but never the other way round.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bloom {
	uint64_t *once, *again; /* bit maps */
	unsigned int bits;	/* of an index into them */
};

/* For N values or so. */
void bloom_init(size_t n, struct bloom *ret);
void bloom_deinit(struct bloom *bloom);
void bloom_add(struct bloom *bloom, uint64_t hash);
bool bloom_has_repeated(const struct bloom *bloom, uint64_t hash);
/* A hash of LEN bytes (FNV-1a). */
uint64_t bloom_hash(const void *p, size_t len);
