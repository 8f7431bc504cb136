/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cursor over bytes that are not NUL-terminated. Each scan_ function either consumes what it
 * names and returns true, or consumes nothing, leaves RET untouched and returns false.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct scan {
	const char *at, *end; /* [at, end) is left */
};

/* All of S. */
static inline struct scan scan_of(const char *s)
{
	return (struct scan){s, s + strlen(s)};
}

/* From '0' to 'f': 1 more than the value of a hex digit, 0: it is none. */
extern const char scan_hex_values[56];

/* The value of a hex digit, -1 for another byte. */
static inline int scan_hex_digit(char c)
{
	unsigned int i = (unsigned char)c - (unsigned int)'0';

	return i < sizeof(scan_hex_values) ? scan_hex_values[i] - 1 : -1;
}

/* Whether the LEN bytes at BYTES are all 0. */
static inline bool scan_is_zero(const void *bytes, size_t len)
{
	const char *p = bytes;

	return !len || (!*p && !memcmp(p, p + 1, len - 1));
}

/* Skips blanks and tabs. */
void scan_blanks(struct scan *scan);
bool scan_char(struct scan *scan, char c);
/* 1 to 16 hex digits without prefix; a 17th digit makes it fail. */
bool scan_hex(struct scan *scan, uint64_t *ret);
/* 0x and 1 to 16 hex digits; nothing is consumed where it fails. */
bool scan_prefixed_hex(struct scan *scan, uint64_t *ret);
/* ` [0x55d0c8a0b139]`, as backtrace_symbols() prints addresses; nothing is consumed where it fails. */
bool scan_bracketed_hex(struct scan *scan, uint64_t *ret);
/* Decimal digits up to UINT64_MAX. */
bool scan_decimal(struct scan *scan, uint64_t *ret);
/* Optional minus, then 0x + hex or decimal; a negative number becomes two's complement. */
bool scan_number(struct scan *scan, uint64_t *ret);
/* The rest of the line without its newline (or CR LF); consumes the newline. Fails at the end. */
bool scan_line(struct scan *scan, struct scan *ret);
/* Seconds with or without a fraction, "2" or "0.5", as nanoseconds; further digits are skipped. */
bool scan_seconds(struct scan *scan, uint64_t *ns);
/* A run of bytes that are neither blank, tab nor newline. */
bool scan_word(struct scan *scan, struct scan *ret);
static inline size_t scan_left(const struct scan *scan)
{
	return (size_t)(scan->end - scan->at);
}
/* The exact bytes of LITERAL, mostly a constant. */
static inline bool scan_literal(struct scan *scan, const char *literal)
{
	size_t len = strlen(literal);

	if (scan_left(scan) < len || memcmp(scan->at, literal, len) != 0)
		return false;
	scan->at += len;
	return true;
}
/* Whole of S as a number as scan_number() reads it, nothing before or after. */
bool scan_whole_number(const char *s, uint64_t *ret);
/* All of S as decimal digits, as hex digits, or as hex digits after 0x. RET may change where they fail. */
bool scan_all_decimal(struct scan s, uint64_t *ret);
bool scan_all_hex(struct scan s, uint64_t *ret);
bool scan_all_prefixed_hex(struct scan s, uint64_t *ret);

/* True if S is WORD, begins with it, or ends with it. */
bool scan_equals(struct scan s, const char *word);
/* True if S is one of N words. */
bool scan_is_one_of(struct scan s, const char *const *words, size_t n);
static inline bool scan_starts(struct scan s, const char *word)
{
	return scan_literal(&s, word);
}
bool scan_ends(struct scan s, const char *word);
/* The first WORD in S, and the first and last byte C; NULL if S has none. */
const char *scan_find(struct scan s, const char *word);
const char *scan_first(struct scan s, char c);
const char *scan_last(struct scan s, char c);
/* Takes the bytes up to the first C, and C; all bytes, and returns false, if there is no C. */
bool scan_to(struct scan *scan, char c, struct scan *ret);
/* Splits SCAN at its last C, which is in neither part; false if there is no C. */
bool scan_cut_last(struct scan *scan, char c, struct scan *after_ret);
/* Cuts all bytes C off the end. */
void scan_cut_end(struct scan *scan, char c);
/* S without the blanks and tabs around it. */
struct scan scan_trimmed(struct scan s);
