/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many short strings made smaller: a table of up to 255 frequent pieces of up to 8 bytes, each
 * written as one byte. The table is learned from a sample (after FSST: Boncz, Neumann, Leis, "FSST:
 * Fast Random Access String Compression", VLDB 2020); each string can be read without the others.
 */
#ifndef UTIL_SHRINK_H
#define UTIL_SHRINK_H

#include <stddef.h>
#include <stdint.h>

#include "util/text.h"

enum {
	SHRINK_PIECES = 255,
	SHRINK_ESCAPE = 255, /* the next byte stands for itself */
	SHRINK_PIECE_MAX = 8,
};

/* Zero-filled has no pieces: strings grow to twice their length. */
struct shrink {
	uint32_t n;
	uint8_t len[SHRINK_PIECES];
	uint64_t bytes[SHRINK_PIECES]; /* the first byte in the lowest eight bits */
};

/* What writing needs besides: the pieces that begin with two bytes lie between two starts. */
struct shrink_writer {
	const struct shrink *shrink;  /* not owned; its pieces are in the order this needs */
	uint8_t start[(1 << 16) + 1];
	uint8_t single[256];          /* the piece that is this byte, SHRINK_ESCAPE: none */
};

/* Learns the pieces from the NUL-terminated strings in SAMPLE; some 16 KB are enough. */
void shrink_train(const char *sample, size_t len, struct shrink *ret);
void shrink_writer_init(const struct shrink *shrink, struct shrink_writer *ret);
/*
 * Writes S to RET, which has room for 2 * LEN bytes, and returns how many it took. Equal strings
 * give equal bytes.
 */
size_t shrink_write(
	const struct shrink_writer *writer, const char *s, size_t len, uint8_t *ret);
/* Appends the string that LEN bytes at P stand for. */
void shrink_read(const struct shrink *shrink, const uint8_t *p, size_t len, struct text *ret);

#endif
