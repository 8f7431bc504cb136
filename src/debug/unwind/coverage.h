/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of a file's code tables for unwinding cover, and where frame pointers would do. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/unwind/tables.h"
#include "object/elf_image.h"

struct coverage {
	uint64_t functions;
	uint64_t bytes; /* of the file's code that they cover */
	/* Functions that set up a frame pointer, and bytes at which a walk along them finds the caller. */
	uint64_t fp_functions, fp_bytes;
	bool cut; /* the tables are too long: what is beyond is not counted */
};

/*
 * The bytes of code that shares are of: .text, or all code of a relocatable file or one without
 * that.
 */
uint64_t coverage_code(const struct elf_image *image);
/* By the tables of one source. False: there are none. */
bool coverage_count(struct unwind_tables *tables, const struct elf_image *image,
	enum unwind_source source, struct coverage *ret);
