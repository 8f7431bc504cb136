/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads rows of 16 bytes as bpftool prints them (fprint_hex() in main.c): "00 01 …  08 …". They
 * make up most of a dump.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/source.h"
#include "util/text.h"

enum { HEX_ROW_BYTES = 16, HEX_ROW_LEN = 3 * HEX_ROW_BYTES };

/*
 * Consumes the full rows at the start of SOURCE, among the bytes already read, and appends their
 * bytes to TO, up to a length of MAX. Returns the number of rows.
 */
size_t hex_rows_take(struct source *source, struct text *to, size_t max);
/*
 * Consumes one byte (two hex digits before a blank or the end) and the blanks after it. Returns
 * false, and consumes nothing, if ROW starts with something else.
 */
bool hex_row_byte(struct scan *row, char *ret);
/*
 * Consumes bytes up to the first other word, and appends them to TO. Returns false if TO would have
 * more than MAX bytes.
 */
bool hex_row_bytes(struct scan *row, struct text *to, size_t max);
