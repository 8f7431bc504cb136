// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/hints.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/vec.h"

/* gcc and clang compile this to SIMD instructions, on any machine */
typedef uint8_t bytes16 __attribute__((vector_size(16)));

/*
 * X(word, rare): the two bytes at offset RARE seldom occur together in other text. "sp:7" is for
 * user stacks of x86-64, whose addresses begin with 7f.
 */
#define HINTS(X)                                                                                   \
	X("0x", 0)                                                                                 \
	X("segfault at ", 2)                                                                       \
	X(" sp:7", 3)                                                                              \
	X(" pc 0", 1)                                                                              \
	X("[unknown] (", 0)                                                                        \
	X(" with build-id", 11)                                                                    \
	X("<signal handler called>", 0)                                                            \
	X("Problematic frame:", 0)                                                                 \
	X("Native frames:", 0)                                                                     \
	X(" Comm: ", 4)

static const struct hint {
	const char *word;
	size_t len, rare;
} hints[] = {
#define X(word, rare) {word, sizeof(word) - 1, rare},
	HINTS(X)
#undef X
};

/* Returns true if AT is at the rare bytes of a word that is completely within [FROM, END). */
static bool is_hint(const char *from, const char *at, const char *end)
{
	array_each(hint, hints, array_len(hints))
		if (*at == hint->word[hint->rare] && (size_t)(at - from) >= hint->rare &&
			(size_t)(end - at) >= hint->len - hint->rare &&
			!memcmp(at - hint->rare, hint->word, hint->len))
			return true;
	return false;
}

/*
 * Returns true if the rare bytes of a word may begin at one of the 16 bytes from AT on. Reads 17
 * bytes.
 */
static bool may_have_hint(const char *at)
{
	bytes16 here, next, any = {};
	uint64_t halves[2];

	memcpy(&here, at, sizeof(here));
	memcpy(&next, at + 1, sizeof(next));
#define X(word, rare)                                                                              \
	any |= (bytes16)(here == (uint8_t)word[rare]) &                                            \
	       (bytes16)(next == (uint8_t)word[(rare) + 1]);
	HINTS(X)
#undef X
	memcpy(halves, &any, sizeof(halves));
	return halves[0] | halves[1];
}

const char *hints_find(const char *at, const char *end)
{
	const char *from = at;

	while ((size_t)(end - at) > sizeof(bytes16)) {
		if (may_have_hint(at))
			for (size_t i = 0; i < sizeof(bytes16); i++)
				if (is_hint(from, at + i, end))
					return at + i;
		at += sizeof(bytes16);
	}
	for (; at < end; at++)
		if (is_hint(from, at, end))
			return at;
	return NULL;
}
