/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses in few bytes: stacks have the same ones again and again, so each is a number of two bytes, in
 * the order in which they first came. What has none is 0 and the word. What is the same has the same code.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/text.h"
#include "util/vec.h"

/* Zero-filled is empty. */
struct word_codes {
	struct VEC(uint64_t) words; /* by number; that of 0 says nothing */
	uint16_t *slots;	    /* numbers by the hashes of their words; 0: free */
	size_t cap;		    /* of them: 0 or a power of two */
	uint64_t seed;
	uint16_t *recent; /* numbers of words that came lately; 0: none */
};

void word_codes_deinit(struct word_codes *codes);
/* Appends the codes of N words, wherever they stand, to RET. */
void word_codes_add(struct word_codes *codes, const void *words, size_t n, struct text *ret);

/* The word whose code, made by CODES, stands at *AT, which moves behind it. */
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

/* Fewer bytes are hardly a stack. */
enum { WORD_CODES_BYTES_MIN = 64 };
/* Appends the code of LEN bytes, WORD_CODES_BYTES_MIN at least: their words, but for those that are zero. */
void word_codes_add_bytes(
	struct word_codes *codes, const void *bytes, size_t len, struct text *ret);
/* The same LEN bytes into RET; *AT moves behind their code. */
void word_codes_next_bytes(
	const struct word_codes *codes, const uint8_t **at, void *ret, size_t len);
