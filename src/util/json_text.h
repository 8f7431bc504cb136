/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of JSON objects, after what TEXT ends with: at least the brace that opened the object. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/text.h"

/* The comma that is needed unless an object or array was just opened. */
void json_add_comma(struct text *text);
/* That comma, and `"KEY":`. KEY is not escaped. */
void json_add_key(struct text *text, const char *key);
/* Begins an object or array with BRACKET, as the member KEY; NULL: as an element of an array. */
void json_open(struct text *text, const char *key, char bracket);
void json_add_string(struct text *text, const char *key, const char *value);
/* Adds the member unless VALUE is NULL or "". */
void json_add_known(struct text *text, const char *key, const char *value);
/* Adds an array of N strings. */
void json_add_strings(struct text *text, const char *key, const char *const *values, size_t n);
void json_add_unsigned(struct text *text, const char *key, uint64_t value);
void json_add_bool(struct text *text, const char *key, bool value);
