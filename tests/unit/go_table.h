/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Go program of one function, as each version of the format has it: "outer" at [0x1000, 0x1040) in
 * a.go, line 10; in it at 0x1020 16 bytes of b.go, line 77, where "inner" is inlined (nothing of that is
 * in the table of GO_ERA_1_2 but the lines); then line 12.
 */
#pragma once

#include <stddef.h>

#include "util/text.h"

enum { GO_TEXT = 0x1000, GO_TABLE = 0x5000 };

/* Versions of Go that changed something in the table. */
enum go_era {
	GO_ERA_1_2,
	GO_ERA_1_9,
	GO_ERA_1_12,
	GO_ERA_1_13,
	GO_ERA_1_16,
	GO_ERA_1_18,
	GO_ERA_1_20,
	GO_ERA_1_26,
	GO_ERA_1_27,
	GO_ERAS,
};

/* The table, and behind it what points to it: runtime.moduledata and the inlined calls. */
void go_table_make(enum go_era era, struct text *ret);
/* An ELF file with CODE's addresses and BYTES in its section .gopclntab, malloc'ed. */
void *go_file_make(const void *bytes, size_t len, size_t *size_ret);
