/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of a recording's lines (man/stack2line-recording.5): each with the blank before it.
 * After a field that is not there, the rest of the line is worth nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/build_id.h"
#include "util/arena.h"
#include "util/scan.h"
#include "util/text.h"

/* A number of 64 bits; the same in hex, without 0x; what is no blank; a number to INT32_MAX. */
bool field_decimal(struct scan *s, uint64_t *ret);
bool field_hex(struct scan *s, uint64_t *ret);
bool field_word(struct scan *s, struct scan *ret);
bool field_pid(struct scan *s, uint32_t *ret);
/* "-" is no build ID. */
bool field_build_id(struct scan *s, struct build_id *ret);
/* The rest of the line: %HH stands for a byte. */
bool field_string(struct scan *s, struct text *ret);
/* The same without NUL inside, copied to STRINGS. */
bool field_name(struct scan *s, struct arena *strings, const char **ret);
