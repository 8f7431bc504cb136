/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the code of function symbols on machines where symbol values are not code addresses: they
 * point to descriptors or include mode bits (arch/arch.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "object/elf_image.h"

struct entry_points;

/*
 * Reads the descriptors of IMAGE, or of its DEBUG file (NULL: none) if IMAGE has none; both must
 * outlive the result. Returns NULL if values are code addresses, as on most machines; the functions
 * below accept that.
 */
struct entry_points *entry_points_create(
	const struct elf_image *image, const struct elf_image *debug);
void entry_points_destroy(struct entry_points *points);
/*
 * Replaces VALUE, the ELF address from a function symbol, by the address of its code. Returns true
 * if that came from a descriptor: the code's section is [START_RET, END_RET) then, not the
 * symbol's. Returns false if the code is in the symbol's section.
 */
bool entry_point_follow(
	const struct entry_points *points, uint64_t *value, uint64_t *start_ret, uint64_t *end_ret);
/*
 * Returns the function's name, given the name of its symbol: without the leading dot if that marks
 * its code (".main" is main's).
 */
const char *entry_point_name(const struct entry_points *points, const char *name);
