/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of JSON objects, after what TEXT ends with: at least the brace that opened the object. */
#pragma once

#include <stdint.h>

#include "util/text.h"

/* The comma that is needed unless an object or array was just opened, and `"KEY":`. KEY is not escaped. */
void json_add_key(struct text *text, const char *key);
void json_add_string(struct text *text, const char *key, const char *value);
void json_add_unsigned(struct text *text, const char *key, uint64_t value);
