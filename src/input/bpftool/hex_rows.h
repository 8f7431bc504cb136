/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of 16 bytes as bpftool prints them (src/main.c, fprint_hex): "00 01 …  08 …", most of a
 * dump.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/source.h"
#include "util/text.h"

enum { HEX_ROW_BYTES = 16, HEX_ROW_LEN = 3 * HEX_ROW_BYTES };

/*
 * Takes the full rows that SOURCE begins with, of what it has read already, and adds their bytes to
 * TO, at most up to MAX in all. Returns how many rows.
 */
size_t hex_rows_take(struct source *source, struct text *to, size_t max);
/* Takes one byte, two digits before a blank or the end, from ROW, and the blanks behind it. */
bool hex_row_byte(struct scan *row, char *ret);
/*
 * Moves bytes from ROW to TO until something else follows. False: TO has MAX bytes, and there are
 * more.
 */
bool hex_row_bytes(struct scan *row, struct text *to, size_t max);
