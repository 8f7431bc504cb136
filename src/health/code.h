/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of an object, with its debug info and what was found out about it: where it starts, what
 * walks along frame pointers do in it, its functions (as bounded by its unwind tables) with the
 * calls and jumps that leave each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "debug/debug.h"
#include "object/elf_image.h"
#include "util/table.h"
#include "util/vec.h"

/*
 * Where a walk along frame pointers loses the caller. Each entry is the range of addresses of an
 * unwind rule that was looked up. Lookups come in sweeps of ascending addresses.
 */
struct walk_range {
	uint64_t start, end; /* ELF addresses [start, end) */
	enum unwind_fp_walk walk;
	bool saved;		       /* FP was saved, and may hold data now */
	uint64_t data_start, data_end; /* where it does: ELF addresses, as far as they are known */
};

struct walks {
	struct VEC(struct walk_range) known, added; /* sorted by start; ADDED is of this sweep */
	size_t at; /* index in `known` of the first range not yet passed by the sweep */
};

/* A call, or a jump out of the function. */
struct code_exit {
	uint64_t next;	 /* ELF address after the instruction; for a call, the return address */
	uint64_t target; /* ELF address; undefined if INDIRECT */
	bool call, indirect;
	bool framed; /* the function has its frame: frame pointers lead to its caller */
};

struct code_function {
	uint64_t start, end; /* ELF addresses [start, end) */
	bool known; /* EXITS is complete; false if code or rules were unreadable or too large */
	struct VEC(struct code_exit) exits; /* sorted by address */
};

/* Zero-filled but for the first three members is empty. */
struct object_code {
	struct debug *debug;
	const struct elf_image *image;
	const struct arch *arch;
	struct walks walks;
	struct table by_start;			      /* start → index in `functions` */
	struct VEC(struct code_function *) functions; /* those that were read so far */
	uint64_t bytes;				      /* size of all code that was read */
	bool looked_for_start, looked_for_exit;
	/*
	 * ELF addresses of the entry point and of main(), which is [main, main_end); 0: unknown, or
	 * not a program
	 */
	uint64_t entry, main, main_end;
	uint64_t exit; /* ELF address of exit(3); 0: unknown, or not here */
};

void code_deinit(struct object_code *code);
/*
 * Returns what a walk along frame pointers does at the exact ELF address ADDRESS. Returns
 * UNWIND_FP_UNKNOWN also if there is no unwind rule.
 */
enum unwind_fp_walk code_walk(const struct object_code *code, uint64_t address);
/*
 * Returns the function that covers the ELF address ADDRESS, and reads its exits the first time.
 * Returns NULL if the unwind tables have no such function. The result is valid until code_deinit().
 */
const struct code_function *code_function_at(struct object_code *code, uint64_t address);

/* Returns what is known of the walk at ADDRESS, NULL if nothing. Valid until the next call. */
struct walk_range *walks_find(struct walks *walks, uint64_t address);
/* Adds and returns RANGE, which contains the address of the last walks_find(). */
struct walk_range *walks_add(struct walks *walks, struct walk_range range);
/* Ends a sweep. */
void walks_end(struct walks *walks);
