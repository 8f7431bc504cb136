/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of an object, as bounded by its unwind tables, and the calls and jumps that leave
 * each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/debug.h"
#include "object/elf_image.h"
#include "util/table.h"
#include "util/vec.h"

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

/* The functions that were read so far. */
struct code_functions {
	struct table by_start; /* start → index in `all` */
	struct VEC(struct code_function *) all;
	uint64_t bytes; /* size of all code that was read */
};

void code_functions_deinit(struct code_functions *functions);
/*
 * Returns the function of IMAGE that covers the ELF address ADDRESS, and reads its exits the first
 * time. DEBUG is the debug info of IMAGE. Returns NULL if the unwind tables have no such function.
 * The result is valid until code_functions_deinit().
 */
const struct code_function *code_functions_at(struct code_functions *functions, struct debug *debug,
	const struct elf_image *image, uint64_t address);
