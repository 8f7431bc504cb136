/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors as values: what can fail returns `struct error *`, NULL meaning success. The caller owns
 * it, adds context or hands it on; only cli/ prints. Absence (no symbol, no file) is data, not an
 * error.
 */
#pragma once

enum error_kind {
	ERROR_INPUT,  /* what was given cannot be read: exit status 2 */
	ERROR_SYSTEM, /* the system refused: exit status 2 */
	ERROR_USAGE,  /* contradicting or unknown options: exit status 64 */
};

struct error;

#define must_check __attribute__((warn_unused_result))

struct error *error_create(enum error_kind kind, const char *format, ...) must_check
	__attribute__((format(printf, 2, 3), returns_nonnull));
/* ERROR_SYSTEM with ": " and the text of ERRNUM appended. */
struct error *error_errno(int errnum, const char *format, ...) must_check
	__attribute__((format(printf, 2, 3), returns_nonnull));
/* Puts the formatted text and ": " before ERR's message; consumes ERR. NULL stays NULL. */
struct error *error_context(struct error *error, const char *format, ...) must_check
	__attribute__((format(printf, 2, 3)));
/* The message lives as long as ERR. */
const char *error_message(const struct error *error);
enum error_kind error_kind(const struct error *error);
/* Returns FIRST, or SECOND if there is no FIRST; destroys the other one. NULL is fine. */
struct error *error_first(struct error *first, struct error *second) must_check;
/* NULL is fine. */
void error_destroy(struct error *error);
void error_cleanup(struct error **error);

#define auto_error __attribute__((__cleanup__(error_cleanup)))

/* Returns from the enclosing function when EXPR yields an error. */
#define try(expr)                                                                                  \
	do {                                                                                       \
		struct error *try_ = (expr);                                                       \
		if (try_)                                                                          \
			return try_;                                                               \
	} while (0)
