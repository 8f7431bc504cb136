/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cursor over bytes that are not NUL-terminated. Unless its comment says otherwise, a scan_
 * function either consumes what it names, sets RET and returns true, or returns false and changes
 * nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct scan {
	const char *at, *end; /* the rest of the input, [at, end) */
};

static inline struct scan scan_of(const char *s)
{
	return (struct scan){s, s + strlen(s)};
}

/* By byte, from '0' to 'f': the value of the hex digit plus 1; 0 if it is not a digit. */
extern const char scan_hex_values[56];

/* Returns the value of a hex digit, or -1. */
static inline int scan_hex_digit(char c)
{
	unsigned int i = (unsigned char)c - (unsigned int)'0';

	return i < sizeof(scan_hex_values) ? scan_hex_values[i] - 1 : -1;
}

/* Returns true if the LEN bytes at BYTES are all 0. */
static inline bool scan_is_zero(const void *bytes, size_t len)
{
	const char *p = bytes;

	return !len || (!*p && !memcmp(p, p + 1, len - 1));
}

void scan_blanks(struct scan *scan);
bool scan_char(struct scan *scan, char c);
/* Reads 1 to 16 hex digits without prefix. Fails on a 17th digit. */
bool scan_hex(struct scan *scan, uint64_t *ret);
/* Reads 0x and 1 to 16 hex digits. */
bool scan_prefixed_hex(struct scan *scan, uint64_t *ret);
/* Reads ` [0x55d0c8a0b139]`, as printed by backtrace_symbols(). RET may change on failure. */
bool scan_bracketed_hex(struct scan *scan, uint64_t *ret);
/* Reads decimal digits, up to UINT64_MAX. */
bool scan_decimal(struct scan *scan, uint64_t *ret);
/*
 * Reads an optional minus sign, then 0x and hex digits, or decimal digits. A negative number
 * becomes its two's complement.
 */
bool scan_number(struct scan *scan, uint64_t *ret);
/*
 * Reads the rest of the line, and consumes its newline; RET excludes the newline (or CR LF).
 * Returns false at the end of the input.
 */
bool scan_line(struct scan *scan, struct scan *ret);
/*
 * Reads seconds with or without a fraction, "2" or "0.5", as nanoseconds. Truncates further digits.
 * On overflow, returns false with NS changed and some digits consumed.
 */
bool scan_seconds(struct scan *scan, uint64_t *ns);
/* Reads a run of bytes other than blanks, tabs and newlines. */
bool scan_word(struct scan *scan, struct scan *ret);
static inline size_t scan_left(const struct scan *scan)
{
	return (size_t)(scan->end - scan->at);
}
/* Consumes the exact bytes of LITERAL. Inline, since LITERAL is mostly a constant. */
static inline bool scan_literal(struct scan *scan, const char *literal)
{
	size_t len = strlen(literal);

	if (scan_left(scan) < len || memcmp(scan->at, literal, len) != 0)
		return false;
	scan->at += len;
	return true;
}
/* Reads all of S like scan_number(). Returns false if anything else precedes or follows. */
bool scan_whole_number(const char *s, uint64_t *ret);
/* Read all of S as decimal digits, and as hex digits. RET may change on failure. */
bool scan_all_decimal(struct scan s, uint64_t *ret);
bool scan_all_hex(struct scan s, uint64_t *ret);

/* Return true if S equals WORD, begins with it, and ends with it. */
bool scan_equals(struct scan s, const char *word);
/* Returns true if S is one of N words. */
bool scan_is_one_of(struct scan s, const char *const *words, size_t n);
static inline bool scan_starts(struct scan s, const char *word)
{
	return scan_literal(&s, word);
}
bool scan_ends(struct scan s, const char *word);
/* Return the first WORD in S, and the first and the last byte C. NULL if there is none. */
const char *scan_find(struct scan s, const char *word);
const char *scan_first(struct scan s, char c);
const char *scan_last(struct scan s, char c);
/*
 * Reads the bytes before the first C, and consumes C. If there is no C, reads all and returns
 * false.
 */
bool scan_to(struct scan *scan, char c, struct scan *ret);
/* Splits SCAN at its last C, which goes into neither part. Returns false if there is no C. */
bool scan_cut_last(struct scan *scan, char c, struct scan *after_ret);
/*
 * Returns the number of WORD, from 0, in WORDS, a list separated by blanks; -1 if it is not there.
 */
int scan_word_number(const char *words, struct scan word);
/* Returns S without leading and trailing blanks and tabs. */
struct scan scan_trimmed(struct scan s);
