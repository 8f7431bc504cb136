/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of many values come more than once: note all of them, and then ask. Values are hashes of
 * what is meant, so a few that come once are taken for repeated, but never the other way round.
 */
#ifndef UTIL_REPEATS_H
#define UTIL_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct repeats {
	uint64_t *once, *again; /* bit maps */
	unsigned int bits;      /* of an index into them */
};

/* For N values or so. */
void repeats_init(size_t n, struct repeats *ret);
void repeats_deinit(struct repeats *repeats);
void repeats_note(struct repeats *repeats, uint64_t hash);
bool repeats_has(const struct repeats *repeats, uint64_t hash);
/* A hash of LEN bytes (FNV-1a). */
uint64_t repeats_hash(const void *p, size_t len);

#endif
