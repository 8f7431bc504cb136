/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing string, and the escaping of untrusted text before it reaches a terminal. Zero-filled is
 * empty. `data` may be NULL until something is added; after that it is NUL-terminated.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/scan.h"

struct text {
	char *data;
	size_t len, cap;
};

void text_deinit(struct text *text);
#define auto_text __attribute__((__cleanup__(text_deinit)))
/* Returns the string (never NULL), which the caller frees, and empties TEXT. */
char *text_take(struct text *text) __attribute__((returns_nonnull));
/* Empties TEXT, but keeps its memory. */
void text_clear(struct text *text);
/* The slow path of text_reserve(). */
void text_grow(struct text *text, size_t more);

/* Makes room for MORE bytes and a NUL, without adding them. */
static inline void text_reserve(struct text *text, size_t more)
{
	if (text->cap - text->len <= more)
		text_grow(text, more);
}

void text_add(struct text *text, const char *s, size_t len);
void text_add_string(struct text *text, const char *s);
void text_add_scan(struct text *text, struct scan s);
void text_add_char(struct text *text, char c);
/* Adds 0x and lower-case hex digits. */
void text_add_hex(struct text *text, uint64_t number);
void text_add_decimal(struct text *text, uint64_t number);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
/*
 * Adds LEN bytes of S, with control bytes, DEL, C1 controls and invalid UTF-8 as \xHH, so that no
 * file name or symbol can move a terminal's cursor. Invisible characters and those that change the
 * text direction become \uHHHH or \UHHHHHHHH, so that no name can pass for another:
 * default-ignorable characters of Unicode 15 other than variation selectors, bidirectional
 * controls, line and paragraph separators. Other text is unchanged.
 */
void text_add_escaped(struct text *text, const char *s, size_t len);
void text_add_escaped_string(struct text *text, const char *s);
/*
 * Adds the formatted text, and escapes all of it. FORMAT must be printable ASCII; the arguments may
 * be anything.
 */
void text_printf_escaped(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Adds LEN bytes of S as the content of a JSON string: with RFC 8259 escapes, with the invisible
 * characters of text_add_escaped() escaped, and with invalid UTF-8 as U+FFFD.
 */
void text_add_json(struct text *text, const char *s, size_t len);
/* Adds LEN bytes of S as content of XML, or of an attribute in double quotes. */
void text_add_xml(struct text *text, const char *s, size_t len);
void text_add_base64(struct text *text, const char *bytes, size_t len);
/* Returns how many columns of a terminal LEN bytes of S have: one for each character. */
size_t text_columns(const char *s, size_t len);
/*
 * Returns the length in bytes of the UTF-8 sequence at the start of S (LEN bytes, LEN > 0), or 0 if
 * it is invalid: overlong, a surrogate, or above U+10FFFF.
 */
size_t text_utf8_length(const char *s, size_t len);
bool text_equal(const struct text *a, const struct text *b);
/* Returns all of TEXT; valid until TEXT changes. */
struct scan text_scan(const struct text *text);
/* Returns true if S ends with END. */
bool text_ends_with(const char *s, const char *end);
/*
 * Returns true if [S, S + LEN) matches PATTERN, in which * is any text and ? any byte. Takes time
 * of at most the product of both lengths.
 */
bool text_matches(const char *s, size_t len, const char *pattern);
