/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A compressed form of stack addresses, which repeat a lot. Each word is replaced by a 2-byte
 * number, in order of first appearance. A word without number is encoded as the number 0 and the
 * word itself. Equal words always have equal codes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/text.h"
#include "util/vec.h"

struct word_codes {
	struct VEC(uint64_t) words; /* by number; element 0 is unused */
	uint16_t *slots;	    /* hash table of numbers, by their words; 0: free */
	size_t cap;		    /* size of SLOTS: 0 or a power of two */
	uint64_t seed;
	uint16_t *recent; /* cache of recent words' numbers; 0: none */
};

void word_codes_deinit(struct word_codes *codes);
/* Appends the codes of N words to RET. WORDS need not be aligned. */
void word_codes_add(struct word_codes *codes, const void *words, size_t n, struct text *ret);

/* Decodes the word at *AT and advances *AT. */
static inline uint64_t word_codes_next(const struct word_codes *codes, const uint8_t **at)
{
	uint16_t number;
	uint64_t word;

	memcpy(&number, *at, sizeof(number));
	*at += sizeof(number);
	if (number)
		return codes->words.data[number];
	memcpy(&word, *at, sizeof(word));
	*at += sizeof(word);
	return word;
}

/* shorter values are hardly stacks */
enum { WORD_CODES_BYTES_MIN = 64 };
/*
 * Appends the code of LEN bytes (at least WORD_CODES_BYTES_MIN). Runs of zero words are encoded by
 * their length.
 */
void word_codes_add_bytes(
	struct word_codes *codes, const void *bytes, size_t len, struct text *ret);
/* Decodes the LEN bytes at *AT into RET and advances *AT. */
void word_codes_next_bytes(
	const struct word_codes *codes, const uint8_t **at, void *ret, size_t len);
