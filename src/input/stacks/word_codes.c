// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/stacks/word_codes.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/table.h"
#include "util/number.h"
#include "util/xalloc.h"

enum {
	/* limit on numbered words; if nearly all words differ, numbers save nothing */
	WORDS_MAX = UINT16_MAX,
	SLOTS_MIN = 1 << 10,
	RECENT_BITS = 14,
	CODE_BYTES_MAX = sizeof(uint16_t) + sizeof(uint64_t),
};

void word_codes_deinit(struct word_codes *codes)
{
	vec_deinit(&codes->words);
	free(codes->slots);
	free(codes->recent);
}

/* Returns the slot that holds the number of WORD, or the free slot where it belongs. */
static uint16_t *slot_of(const struct word_codes *codes, uint64_t word)
{
	size_t i = table_hash(codes->seed, &word, sizeof(word));

	for (;; i++) {
		uint16_t *slot = &codes->slots[i & (codes->cap - 1)];

		if (!*slot || codes->words.data[*slot] == word)
			return slot;
	}
}

/* Returns the number of WORD, or 0 if it has none because the numbers are used up. */
static uint16_t number_of(struct word_codes *codes, uint64_t word)
{
	size_t n = codes->words.len;

	if (2 * n >= codes->cap && n <= WORDS_MAX) {
		codes->cap = codes->cap ? 2 * codes->cap : SLOTS_MIN;
		free(codes->slots);
		codes->slots = xcalloc(codes->cap, sizeof(*codes->slots));
		for (size_t i = 1; i < n; i++)
			*slot_of(codes, codes->words.data[i]) = (uint16_t)i;
	}
	uint16_t *slot = slot_of(codes, word);
	if (!*slot && n <= WORDS_MAX) {
		*slot = (uint16_t)n;
		vec_push(&codes->words, word);
	}
	return *slot;
}

void word_codes_add(struct word_codes *codes, const void *words, size_t n, struct text *ret)
{
	const uint8_t *from = words, *end = from + n * sizeof(uint64_t);

	if (!codes->recent) {
		codes->seed = table_seed();
		codes->recent = xcalloc(1 << RECENT_BITS, sizeof(*codes->recent));
		vec_push(&codes->words, 0);
	}
	text_reserve(ret, n * CODE_BYTES_MAX);
	char *to = ret->data + ret->len;
	for (; from < end; from += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, from, sizeof(word));
		uint16_t *recent =
			&codes->recent[word * 0x9e3779b97f4a7c15ULL >> (64 - RECENT_BITS)];
		if (!*recent || codes->words.data[*recent] != word)
			*recent = number_of(codes, word);
		memcpy(to, recent, sizeof(*recent));
		to += sizeof(*recent);
		if (!*recent) {
			memcpy(to, &word, sizeof(word));
			to += sizeof(word);
		}
	}
	*to = '\0';
	ret->len = (size_t)(to - ret->data);
}

/* Returns the length of the run of zero (ZERO) or nonzero words at AT, in words. */
static size_t words_like(const uint8_t *at, const uint8_t *end, bool zero)
{
	const uint8_t *start = at;
	uint64_t word;

	for (; at < end; at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (!word != zero)
			break;
	}
	return (size_t)(at - start) / sizeof(word);
}

/*
 * Format: the number of nonzero words (LEB128), their codes, and the number of zero words after
 * them, repeated; then the remaining bytes.
 */
void word_codes_add_bytes(struct word_codes *codes, const void *bytes, size_t len, struct text *ret)
{
	const uint8_t *at = bytes, *end = at + len / sizeof(uint64_t) * sizeof(uint64_t);

	while (at < end) {
		size_t n = words_like(at, end, false);

		varint_add(ret, n);
		word_codes_add(codes, at, n, ret);
		at += n * sizeof(uint64_t);
		n = words_like(at, end, true);
		varint_add(ret, n);
		at += n * sizeof(uint64_t);
	}
	text_add(ret, (const char *)at, len % sizeof(uint64_t));
}

void word_codes_next_bytes(
	const struct word_codes *codes, const uint8_t **at, void *ret, size_t len)
{
	uint8_t *to = ret, *end = to + len / sizeof(uint64_t) * sizeof(uint64_t);

	while (to < end) {
		for (uint64_t n = varint_next(at); n; n--, to += sizeof(uint64_t)) {
			uint64_t word = word_codes_next(codes, at);

			memcpy(to, &word, sizeof(word));
		}
		size_t zeros = varint_next(at) * sizeof(uint64_t);
		memset(to, 0, zeros);
		to += zeros;
	}
	memcpy(to, *at, len % sizeof(uint64_t));
	*at += len % sizeof(uint64_t);
}
