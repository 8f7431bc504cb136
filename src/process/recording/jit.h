/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JIT compilers' code that a recording has of a process. */
#pragma once

#include "process/jit/map.h"
#include "process/recording/life.h"
#include "util/history.h"

/* Zero-filled is empty. */
struct recorded_code {
	struct jit_map map;	/* symbols and lines; its ranges are not made */
	struct history history; /* by address; `item`: the index of a symbol */
};

/* Fills RET, which is empty, with the code of LIFE. */
void recorded_jit_read(const struct recorded_life *life, struct recorded_code *ret);
void recorded_jit_deinit(struct recorded_code *code);
/*
 * The code at ADDRESS at TIME (ns, of the recording; 0: unknown), and its line, NULL where none is
 * known. NULL: no code is known there. AMBIGUOUS: other code may have been there, and the last is
 * returned.
 */
const struct jit_symbol *recorded_jit_find(const struct recorded_code *code, uint64_t address,
	uint64_t time, const struct jit_line **line_ret, bool *ambiguous);
