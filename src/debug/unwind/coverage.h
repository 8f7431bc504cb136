/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts how much of a file's code unwind tables cover, and where frame pointers would suffice. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/unwind/tables.h"
#include "object/elf_image.h"

struct coverage {
	uint64_t functions;
	uint64_t bytes; /* bytes of the file's code that the tables cover */
	/*
	 * Functions that set up a frame pointer, and bytes of code at which a frame pointer walk
	 * finds the caller.
	 */
	uint64_t fp_functions, fp_bytes;
	bool cut; /* tables too long, or interrupted: the rest is not counted */
};

/*
 * Returns the size of the code that coverage is relative to, in bytes: .text, or all code if the
 * file is relocatable or has no .text.
 */
uint64_t coverage_code(const struct elf_image *image);
/* Counts what the tables of SOURCE cover. Returns false if there are none. */
bool coverage_count(struct unwind_tables *tables, const struct elf_image *image,
	enum unwind_source source, struct coverage *ret);
