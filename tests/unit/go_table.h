/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Go program of one function, as each version of the format has it: "outer" at [0x1000, 0x1040) in
 * a.go, line 10; in it at 0x1020 16 bytes of b.go, line 77, where "inner" is inlined; then line 12.
 */
#ifndef TESTS_UNIT_GO_TABLE_H
#define TESTS_UNIT_GO_TABLE_H

#include "debug/go_layout.h"
#include "util/text.h"

enum { GO_TEXT = 0x1000, GO_TABLE = 0x5000 };

/* The table, and behind it what points to it: runtime.moduledata and the inlined calls. */
void go_table_make(enum go_version version, struct text *ret);
/* An ELF file with CODE's addresses and BYTES in its section .gopclntab, malloc'ed. */
void *go_file_make(const void *bytes, size_t len, size_t *size_ret);

#endif
