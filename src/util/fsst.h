/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many short strings made smaller: a table of up to 255 frequent pieces of up to 8 bytes, each
 * written as one byte. The table is learned from a sample (after FSST: Boncz, Neumann, Leis, "FSST:
 * Fast Random Access String Compression", VLDB 2020); each string can be read without the others.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "util/text.h"

enum {
	FSST_PIECES = 255,
	FSST_ESCAPE = 255, /* the next byte stands for itself */
	FSST_PIECE_MAX = 8,
};

/* Zero-filled has no pieces: strings grow to twice their length. */
struct fsst {
	uint32_t n;
	uint8_t len[FSST_PIECES];
	uint64_t bytes[FSST_PIECES]; /* the first byte in the lowest eight bits */
};

/* What writing needs besides: the pieces that begin with two bytes lie between two starts. */
struct fsst_writer {
	const struct fsst *fsst; /* not owned; its pieces are in the order this needs */
	uint8_t start[(1 << 16) + 1];
	uint8_t single[256]; /* the piece that is this byte, FSST_ESCAPE: none */
};

/* Learns the pieces from the NUL-terminated strings in SAMPLE; some 16 KB are enough. */
void fsst_train(const char *sample, size_t len, struct fsst *ret);
void fsst_writer_init(const struct fsst *fsst, struct fsst_writer *ret);
/*
 * Writes S to RET, which has room for 2 * LEN bytes, and returns how many it took. Equal strings
 * give equal bytes.
 */
size_t fsst_write(const struct fsst_writer *writer, const char *s, size_t len, uint8_t *ret);
/* Appends the string that LEN bytes at P stand for. */
void fsst_read(const struct fsst *fsst, const uint8_t *p, size_t len, struct text *ret);
