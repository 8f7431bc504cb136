/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing string, and the escaping that text from outside needs before it reaches a terminal.
 * Zero-filled is empty; `data` is NUL-terminated as soon as something was added, and may be NULL
 * before.
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
/* Hands the string over (never NULL) and leaves TEXT empty; the caller frees it. */
char *text_take(struct text *text) __attribute__((returns_nonnull));
/* Forgets the content, keeps the memory. */
void text_clear(struct text *text);
/* text_reserve(), where there is no room yet. */
void text_grow(struct text *text, size_t more);

/* Makes room for MORE bytes and a NUL after the text without adding them. */
static inline void text_reserve(struct text *text, size_t more)
{
	if (text->cap - text->len <= more)
		text_grow(text, more);
}

void text_add(struct text *text, const char *s, size_t len);
void text_add_string(struct text *text, const char *s);
void text_add_scan(struct text *text, struct scan s);
void text_add_char(struct text *text, char c);
/* 0x-prefixed lower-case hex. */
void text_add_hex(struct text *text, uint64_t number);
void text_add_decimal(struct text *text, uint64_t number);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
/*
 * Adds LEN bytes of S with every control byte, DEL, C1 control and byte that is not valid UTF-8 as
 * \xHH, so that no file name or symbol can move a terminal's cursor. So that none looks like another one,
 * characters that have no shape or change the direction are \uHHHH, or \UHHHHHHHH: the default-ignorable ones
 * of Unicode 15 that are not variation selectors, bidirectional controls, and line and paragraph separators.
 * Other text is unchanged.
 */
void text_add_escaped(struct text *text, const char *s, size_t len);
void text_add_escaped_string(struct text *text, const char *s);
/* Adds the formatted text, escaped as a whole: FORMAT is printable ASCII, its arguments may be anything. */
void text_printf_escaped(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds LEN bytes of S as the inside of a JSON string: RFC 8259 escapes, also for such characters, invalid
 * UTF-8 as U+FFFD. */
void text_add_json(struct text *text, const char *s, size_t len);
/*
 * The length in bytes of the valid UTF-8 sequence that S (LEN bytes, LEN > 0) starts with, 0 if it
 * starts with none (overlong forms, surrogates and values over U+10FFFF are none).
 */
size_t text_utf8_length(const char *s, size_t len);
/* Returns true if A and B have the same bytes. */
bool text_equal(const struct text *a, const struct text *b);
/* All of TEXT; valid until it changes. */
struct scan text_scan(const struct text *text);
/* True if S ends with END. */
bool text_ends_with(const char *s, const char *end);
/* True if [S, S+LEN) starts with PREFIX. */
bool text_starts_with(const char *s, size_t len, const char *prefix);
