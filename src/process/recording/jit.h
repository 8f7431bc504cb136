/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of JIT compilers that a recording has of a process. */
#pragma once

#include "process/jit/map.h"
#include "process/recording/process_record.h"
#include "util/history.h"

struct recorded_code {
	struct jit_map map;	/* symbols and lines; without ranges */
	struct history history; /* by address; `item`: index of a symbol */
};

/* Reads the code of RECORD into RET, which must be empty. */
void recorded_jit_read(const struct process_record *record, struct recorded_code *ret);
void recorded_jit_deinit(struct recorded_code *code);
/*
 * Returns the code at ADDRESS at TIME (ns, within the recording; 0 if unknown), or NULL. LINE_RET
 * is its line, or NULL. Sets AMBIGUOUS if other code may have been there; the result is then the
 * latest.
 */
const struct jit_symbol *recorded_jit_find(const struct recorded_code *code, uint64_t address,
	uint64_t time, const struct jit_line **line_ret, bool *ambiguous);
