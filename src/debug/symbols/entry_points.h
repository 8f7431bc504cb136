/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the code of function symbols is, on machines on which their values do not say it
 * (arch/arch.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "object/elf_image.h"

struct entry_points;

/*
 * For symbols of IMAGE and of its DEBUG file (NULL: none), which must outlive the result. NULL:
 * values are addresses, as on most machines; the functions below take that.
 */
struct entry_points *entry_points_create(
	const struct elf_image *image, const struct elf_image *debug);
void entry_points_destroy(struct entry_points *points);
/*
 * Makes VALUE, the ELF address that a function symbol gives, that of its code. True: it went
 * through a descriptor, and the symbol's section is not the code's, which is [START_RET, END_RET)
 * then. False: it did not, and the section is as the symbol says.
 */
bool entry_point_follow(
	const struct entry_points *points, uint64_t *value, uint64_t *start_ret, uint64_t *end_ret);
/* The function's name, if that of its symbol is marked as one of code: ".main" is main's. */
const char *entry_point_name(const struct entry_points *points, const char *name);
