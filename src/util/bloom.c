// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bloom.h"

#include <stdlib.h>

#include "util/xalloc.h"

enum { WORD_BITS = 64, BITS_MIN = 12, BITS_MAX = 28 };

void bloom_init(size_t n, struct bloom *ret)
{
	ret->bits = BITS_MIN;
	while (ret->bits < BITS_MAX && (size_t)1 << ret->bits < n * 8)
		ret->bits++;
	ret->once = xcalloc(((size_t)1 << ret->bits) / WORD_BITS, sizeof(*ret->once));
	ret->again = xcalloc(((size_t)1 << ret->bits) / WORD_BITS, sizeof(*ret->again));
}

void bloom_deinit(struct bloom *bloom)
{
	free(bloom->once);
	free(bloom->again);
	*bloom = (struct bloom){};
}

static size_t index_of(const struct bloom *bloom, uint64_t hash)
{
	/* multiplicative hashing: the upper bits of FNV-1a are poor for short strings */
	return (size_t)(hash * 0x9e3779b97f4a7c15ULL >> (WORD_BITS - bloom->bits));
}

void bloom_add(struct bloom *bloom, uint64_t hash)
{
	size_t index = index_of(bloom, hash), word = index / WORD_BITS;
	uint64_t bit = 1ULL << index % WORD_BITS;

	if (bloom->once[word] & bit)
		bloom->again[word] |= bit;
	bloom->once[word] |= bit;
}

bool bloom_has_repeated(const struct bloom *bloom, uint64_t hash)
{
	size_t index = index_of(bloom, hash);

	return bloom->again[index / WORD_BITS] >> index % WORD_BITS & 1;
}

uint64_t bloom_hash(const void *p, size_t len)
{
	const uint8_t *bytes = p;
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
	return hash;
}
