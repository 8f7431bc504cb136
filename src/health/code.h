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
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

/* What the code of a function has done to FP before an address. */
enum fp_use {
	FP_UNKNOWN,
	FP_KEPT,  /* still the caller's on some path */
	FP_FRAME, /* pushed, then set to the frame */
	FP_DATA,
};

/* most bytes of a function that are read for this */
enum { FP_CODE_MAX = 256 };

/* What the code of a function does to FP. */
struct fp_uses {
	uint64_t end, after_end; /* ELF addresses; AFTER in [end, after_end) */
	enum fp_use after;
	bool kept[FP_CODE_MAX +
		  1]; /* before END, by distance from the start in bytes; else FP_DATA */
};

/* An unwind rule that was looked up. Lookups come in sweeps of ascending addresses. */
struct walk_range {
	uint64_t start, end; /* ELF addresses [start, end) */
	enum unwind_fp_walk walk;
	bool saved; /* FP was saved, and may hold data now */
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
	struct walk_range range;		      /* that of the last lookup */
	struct table fp_uses;			      /* start of function → struct fp_uses */
	struct arena fp_memory;			      /* owns them */
	struct table by_start;			      /* start → index in `functions` */
	struct VEC(struct code_function *) functions; /* those that were read so far */
	uint64_t bytes;				      /* size of all code that was read */
	/* ELF addresses of functions. 0: not looked for yet; UINT64_MAX: not here */
	uint64_t entry; /* the program's entry point */
	uint64_t exit;	/* exit(3) */
	uint64_t main;	/* set with ENTRY; 0: unknown */
};

void code_deinit(struct object_code *code);
/*
 * Returns what a walk along frame pointers does at the exact ELF address ADDRESS. Returns
 * UNWIND_FP_UNKNOWN also if there is no unwind rule.
 */
enum unwind_fp_walk code_walk(const struct object_code *code, uint64_t address);
/*
 * Decodes the instruction at the ELF address ADDRESS. Returns its length in bytes; 0 if that is
 * impossible, and RET is zero-filled then.
 */
size_t code_flow_at(const struct object_code *code, uint64_t address, struct flow *ret);
/*
 * Returns what the instructions of the function at START, read in address order, have done to FP
 * before ADDRESS, both ELF addresses. FP counts as the caller's if any path leads to ADDRESS
 * without setting it. FP_FRAME is certain, and returned, only if no jump precedes setting FP.
 */
enum fp_use code_fp_use(struct object_code *code, uint64_t start, uint64_t address);
/*
 * Returns the function that covers the ELF address ADDRESS, and reads its exits the first time.
 * Returns NULL if the unwind tables have no such function. The result is valid until code_deinit().
 */
const struct code_function *code_function_at(struct object_code *code, uint64_t address);
