/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of an object, as the tables for unwinding bound them, and where each leads to. */
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
	uint64_t next;	 /* ELF address behind the instruction: of a call, where it returns to */
	uint64_t target; /* ELF address, unless INDIRECT */
	bool call, indirect;
	bool framed; /* the function has its frame there: a walk along frame pointers finds it */
};

struct code_function {
	uint64_t start, end; /* ELF addresses [start, end) */
	bool known; /* all exits are; else some code or some rule for unwinding could not be read */
	struct VEC(struct code_exit) exits; /* by address */
};

/* Those that were read. Zero-filled is empty. */
struct code_functions {
	struct table by_start; /* → index in `all` */
	struct VEC(struct code_function *) all;
	uint64_t bytes; /* of code that was read */
};

void code_functions_deinit(struct code_functions *functions);
/*
 * The function of IMAGE, whose debug info DEBUG is, that covers the ELF address ADDRESS. NULL: the
 * tables have none. Valid until code_functions_deinit().
 */
const struct code_function *code_functions_at(struct code_functions *functions, struct debug *debug,
	const struct elf_image *image, uint64_t address);
