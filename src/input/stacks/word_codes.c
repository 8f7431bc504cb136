// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/stacks/word_codes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/table.h"
#include "util/varint.h"
#include "util/xalloc.h"

enum {
	WORDS_MAX = 1 << 16, /* that get a number: where nearly all differ, numbers save nothing */
	SLOTS_MIN = 1 << 10,
	RECENT_BITS = 14,
};

void word_codes_deinit(struct word_codes *codes)
{
	vec_deinit(&codes->words);
	free(codes->slots);
	free(codes->recent);
}

/* Where the number of WORD is, or would be. */
static uint32_t *slot_of(const struct word_codes *codes, uint64_t word)
{
	size_t i = table_hash(codes->seed, &word, sizeof(word));

	for (;; i++) {
		uint32_t *slot = &codes->slots[i & (codes->cap - 1)];

		if (!*slot || codes->words.data[*slot - 1] == word)
			return slot;
	}
}

static void grow(struct word_codes *codes)
{
	if (!codes->cap)
		codes->seed = table_seed();
	codes->cap = codes->cap ? 2 * codes->cap : SLOTS_MIN;
	free(codes->slots);
	codes->slots = xcalloc(codes->cap, sizeof(*codes->slots));
	for (uint32_t i = 0; i < codes->words.len; i++)
		*slot_of(codes, codes->words.data[i]) = i + 1;
}

/* From 1; 0: it has none. */
static uint32_t number_of(struct word_codes *codes, uint64_t word)
{
	if (2 * codes->words.len >= codes->cap && codes->words.len < WORDS_MAX)
		grow(codes);
	uint32_t *slot = slot_of(codes, word);
	if (!*slot && codes->words.len < WORDS_MAX) {
		vec_push(&codes->words, word);
		*slot = (uint32_t)codes->words.len;
	}
	return *slot;
}

void word_codes_add(struct word_codes *codes, uint64_t word, struct text *ret)
{
	if (!codes->recent)
		codes->recent = xcalloc(1 << RECENT_BITS, sizeof(*codes->recent));
	uint32_t *recent = &codes->recent[word * 0x9e3779b97f4a7c15ULL >> (64 - RECENT_BITS)];
	if (!*recent || codes->words.data[*recent - 1] != word)
		*recent = number_of(codes, word);
	varint_add(ret, *recent);
	if (!*recent)
		text_add(ret, (const char *)&word, sizeof(word));
}

uint64_t word_codes_next(const struct word_codes *codes, const uint8_t **at)
{
	uint64_t number = varint_next(at), word;

	if (number)
		return codes->words.data[number - 1];
	memcpy(&word, *at, sizeof(word));
	*at += sizeof(word);
	return word;
}

/* How many of the words in [AT, END) from AT on are zero, or are not. */
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

/* How many words are not zero, these, and how many after them are, again and again; then bytes. */
void word_codes_add_bytes(struct word_codes *codes, const void *bytes, size_t len, struct text *ret)
{
	const uint8_t *at = bytes, *end = at + len / sizeof(uint64_t) * sizeof(uint64_t);
	uint64_t word;

	while (at < end) {
		size_t n = words_like(at, end, false);

		varint_add(ret, n);
		for (; n; n--, at += sizeof(word)) {
			memcpy(&word, at, sizeof(word));
			word_codes_add(codes, word, ret);
		}
		n = words_like(at, end, true);
		varint_add(ret, n);
		at += n * sizeof(word);
	}
	text_add(ret, (const char *)at, len % sizeof(word));
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
