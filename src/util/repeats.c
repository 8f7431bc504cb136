// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/repeats.h"

#include <stdlib.h>

#include "util/xalloc.h"

enum { WORD_BITS = 64, BITS_MIN = 12, BITS_MAX = 28 };

void repeats_init(size_t n, struct repeats *ret)
{
	ret->bits = BITS_MIN;
	while (ret->bits < BITS_MAX && (size_t)1 << ret->bits < n * 8)
		ret->bits++;
	ret->once = xcalloc(((size_t)1 << ret->bits) / WORD_BITS, sizeof(*ret->once));
	ret->again = xcalloc(((size_t)1 << ret->bits) / WORD_BITS, sizeof(*ret->again));
}

void repeats_deinit(struct repeats *repeats)
{
	free(repeats->once);
	free(repeats->again);
	*repeats = (struct repeats){};
}

static size_t index_of(const struct repeats *repeats, uint64_t hash)
{
	/* Multiplied, since the upper bits of FNV-1a of short strings are poor. */
	return (size_t)(hash * 0x9e3779b97f4a7c15ULL >> (WORD_BITS - repeats->bits));
}

void repeats_note(struct repeats *repeats, uint64_t hash)
{
	size_t index = index_of(repeats, hash), word = index / WORD_BITS;
	uint64_t bit = 1ULL << index % WORD_BITS;

	if (repeats->once[word] & bit)
		repeats->again[word] |= bit;
	repeats->once[word] |= bit;
}

bool repeats_has(const struct repeats *repeats, uint64_t hash)
{
	size_t index = index_of(repeats, hash);

	return repeats->again[index / WORD_BITS] >> index % WORD_BITS & 1;
}

uint64_t repeats_hash(const void *p, size_t len)
{
	const uint8_t *bytes = p;
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
	return hash;
}
