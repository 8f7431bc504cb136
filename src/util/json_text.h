/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Appends members of JSON objects to TEXT, which must end with at least the brace that opened the
 * object.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/text.h"

/* Adds a comma, unless an object or array was just opened. */
void json_add_comma(struct text *text);
/* Adds a comma if needed, and `"KEY":`. KEY is not escaped. */
void json_add_key(struct text *text, const char *key);
/* Begins an object or array with BRACKET: the member KEY, or an array element if KEY is NULL. */
void json_open(struct text *text, const char *key, char bracket);
void json_add_string(struct text *text, const char *key, const char *value);
/* Adds the member unless VALUE is NULL or "". */
void json_add_known(struct text *text, const char *key, const char *value);
void json_add_strings(struct text *text, const char *key, const char *const *values, size_t n);
void json_add_unsigned(struct text *text, const char *key, uint64_t value);
void json_add_signed(struct text *text, const char *key, int64_t value);
/* Adds VALUE as a string, "0x1a2b". */
void json_add_hex(struct text *text, const char *key, uint64_t value);
void json_add_bool(struct text *text, const char *key, bool value);
