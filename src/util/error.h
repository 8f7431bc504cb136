/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors as values: functions that can fail return `struct error *`, or NULL on success. The caller
 * owns it, and adds context or passes it on; only cli/ prints it. Absence (no symbol, no file) is
 * data, not an error.
 */
#pragma once

#include "util/cleanup.h"

enum error_kind {
	ERROR_INPUT,  /* unreadable input: exit status 2 */
	ERROR_SYSTEM, /* failed system call: exit status 2 */
	ERROR_USAGE,  /* contradictory or unknown options: exit status 64 */
};

struct error;

#define must_check __attribute__((warn_unused_result))

struct error *error_create(enum error_kind kind, const char *format, ...) must_check
	__attribute__((format(printf, 2, 3), returns_nonnull));
/* Creates an ERROR_SYSTEM whose message is the formatted text, ": " and the text of ERRNUM. */
struct error *error_errno(int errnum, const char *format, ...) must_check
	__attribute__((format(printf, 2, 3), returns_nonnull));
/*
 * Prepends the formatted text and ": " to ERROR's message, and returns ERROR. Returns NULL if ERROR
 * is NULL.
 */
struct error *error_context(struct error *error, const char *format, ...) must_check
	__attribute__((format(printf, 2, 3)));
/* Returns the message, which lives as long as ERROR. */
const char *error_message(const struct error *error);
enum error_kind error_kind(const struct error *error);
/* Returns FIRST, or SECOND if FIRST is NULL, and destroys the other one. Both may be NULL. */
struct error *error_first(struct error *first, struct error *second) must_check;
/* Frees ERROR, which may be NULL. */
void error_destroy(struct error *error);
CLEANUP_OF(error)

#define auto_error scope_guard(error_cleanup)

/* Returns from the enclosing function if EXPR yields an error. */
#define try(expr)                                                                                  \
	do {                                                                                       \
		struct error *try_ = (expr);                                                       \
		if (try_)                                                                          \
			return try_;                                                               \
	} while (0)
