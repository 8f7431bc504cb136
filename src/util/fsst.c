// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/fsst.h"

#include <string.h>

#include "util/order.h"
#include "util/vec.h"

/* While learning, a code below BYTES is a byte that no piece covers, the others are pieces. */
enum { BYTES = 256, CODES = BYTES + FSST_PIECES, ROUNDS = 5, TABLE_BITS = 16 };

struct piece {
	uint64_t bytes;
	uint64_t gain; /* bytes it covers in the sample */
	uint8_t len;
};

struct pieces VEC(struct piece);

/* How often each code, and each pair of codes, was written. */
struct counts {
	uint32_t one[CODES];
	uint16_t two[CODES][CODES];
};

static uint64_t low_bytes(uint64_t bytes, size_t n)
{
	return n < FSST_PIECE_MAX ? bytes & ((1ULL << 8 * n) - 1) : bytes;
}

static uint64_t load(const char *s, size_t len)
{
	uint64_t bytes = 0;

	memcpy(&bytes, s, len < sizeof(bytes) ? len : sizeof(bytes));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	bytes = __builtin_bswap64(bytes);
#endif
	return bytes;
}

/* By the first two bytes, then the longer first; single bytes after all others. */
static int compare_pieces(const void *a_ptr, const void *b_ptr)
{
	const struct piece *a = a_ptr, *b = b_ptr;
	uint16_t a_key = (uint16_t)a->bytes, b_key = (uint16_t)b->bytes;

	return order_of(a->len == 1, b->len == 1)
	       ?: order_of(a_key, b_key)
	       ?: order_of(b->len, a->len)
	       ?: order_of(a->bytes, b->bytes);
}

COMPARE(compare_gains, struct piece, order_of(b->gain, a->gain) ?: compare_pieces(a, b))

void fsst_writer_init(const struct fsst *fsst, struct fsst_writer *ret)
{
	uint32_t piece = 0, key = 0;

	ret->fsst = fsst;
	memset(ret->single, FSST_ESCAPE, sizeof(ret->single));
	for (; piece < fsst->n && fsst->len[piece] > 1; piece++) {
		uint32_t next = (uint16_t)fsst->bytes[piece] + 1U;

		/* The keys from here up to and with this piece's begin at this piece. */
		if (next > key)
			memset(&ret->start[key], (int)piece, next - key);
		key = next;
	}
	memset(&ret->start[key], (int)piece, sizeof(ret->start) - key);
	for (; piece < fsst->n; piece++)
		ret->single[(uint8_t)fsst->bytes[piece]] = (uint8_t)piece;
}

/* The longest piece that S starts with, FSST_ESCAPE: none. */
static uint8_t longest(const struct fsst_writer *writer, const char *s, size_t len)
{
	const struct fsst *fsst = writer->fsst;
	uint64_t bytes = load(s, len);
	uint32_t key = (uint16_t)bytes;

	if (len > 1)
		for (uint32_t i = writer->start[key]; i < writer->start[key + 1]; i++)
			if (fsst->len[i] <= len && low_bytes(bytes, fsst->len[i]) == fsst->bytes[i])
				return (uint8_t)i;
	return writer->single[(uint8_t)bytes];
}

size_t fsst_write(const struct fsst_writer *writer, const char *s, size_t len, uint8_t *ret)
{
	uint8_t *out = ret;

	for (size_t i = 0; i < len;) {
		uint8_t piece = longest(writer, s + i, len - i);

		*out++ = piece;
		if (piece == FSST_ESCAPE)
			*out++ = (uint8_t)s[i++];
		else
			i += writer->fsst->len[piece];
	}
	return (size_t)(out - ret);
}

void fsst_read(const struct fsst *fsst, const uint8_t *p, size_t len, struct text *ret)
{
	for (size_t i = 0; i < len; i++) {
		char piece[FSST_PIECE_MAX];

		if (p[i] == FSST_ESCAPE) {
			if (++i < len)
				text_add_char(ret, (char)p[i]);
		} else if (p[i] < fsst->n) {
			for (size_t j = 0; j < fsst->len[p[i]]; j++)
				piece[j] = (char)(fsst->bytes[p[i]] >> 8 * j);
			text_add(ret, piece, fsst->len[p[i]]);
		}
	}
}

/* ---- learning ------------------------------------------------------------------------------- */

static void count_string(
	const struct fsst_writer *writer, const char *s, size_t len, struct counts *counts)
{
	uint32_t last = CODES;

	for (size_t i = 0; i < len;) {
		uint8_t piece = longest(writer, s + i, len - i);
		uint32_t code = piece == FSST_ESCAPE ? (uint8_t)s[i] : BYTES + (uint32_t)piece;

		i += piece == FSST_ESCAPE ? 1 : writer->fsst->len[piece];
		counts->one[code]++;
		if (last < CODES && counts->two[last][code] < UINT16_MAX)
			counts->two[last][code]++;
		last = code;
	}
}

static struct piece piece_of(const struct fsst *fsst, uint32_t code)
{
	if (code < BYTES)
		return (struct piece){.bytes = code, .len = 1};
	return (struct piece){.bytes = fsst->bytes[code - BYTES], .len = fsst->len[code - BYTES]};
}

static void add_candidates(
	const struct fsst *fsst, const struct counts *counts, uint32_t code, struct pieces *ret)
{
	struct piece first = piece_of(fsst, code);

	if (!counts->one[code])
		return;
	first.gain = (uint64_t)counts->one[code] * first.len;
	vec_push(ret, first);
	for (uint32_t next = 0; next < BYTES + fsst->n; next++) {
		struct piece both = piece_of(fsst, next);

		if (!counts->two[code][next] || first.len + both.len > FSST_PIECE_MAX)
			continue;
		both.bytes = first.bytes | both.bytes << 8 * first.len;
		both.len = (uint8_t)(both.len + first.len);
		both.gain = (uint64_t)counts->two[code][next] * both.len;
		vec_push(ret, both);
	}
}

/* The same bytes may have been found as several pairs. */
static void merge_equal(struct pieces *pieces)
{
	size_t kept = 0;

	vec_sort(pieces, compare_pieces);
	for (size_t i = 0; i < pieces->len; i++) {
		if (kept && !compare_pieces(&pieces->data[kept - 1], &pieces->data[i]))
			pieces->data[kept - 1].gain += pieces->data[i].gain;
		else
			pieces->data[kept++] = pieces->data[i];
	}
	pieces->len = kept;
}

static void choose(const struct counts *counts, struct fsst *fsst)
{
	struct pieces pieces = {};

	for (uint32_t code = 0; code < BYTES + fsst->n; code++)
		add_candidates(fsst, counts, code, &pieces);
	merge_equal(&pieces);
	vec_sort(&pieces, compare_gains);
	if (pieces.len > FSST_PIECES)
		pieces.len = FSST_PIECES;
	vec_sort(&pieces, compare_pieces);
	fsst->n = (uint32_t)pieces.len;
	for (size_t i = 0; i < pieces.len; i++) {
		fsst->bytes[i] = pieces.data[i].bytes;
		fsst->len[i] = pieces.data[i].len;
	}
	vec_deinit(&pieces);
}

void fsst_train(const char *sample, size_t len, struct fsst *ret)
{
	struct counts *counts = xmalloc(sizeof(*counts));
	struct fsst_writer *writer = xmalloc(sizeof(*writer));

	*ret = (struct fsst){};
	for (int round = 0; round < ROUNDS; round++) {
		memset(counts, 0, sizeof(*counts));
		fsst_writer_init(ret, writer);
		for (size_t i = 0; i < len;) {
			size_t n = strnlen(sample + i, len - i);

			count_string(writer, sample + i, n, counts);
			i += n + 1;
		}
		choose(counts, ret);
	}
	free(counts);
	free(writer);
}
