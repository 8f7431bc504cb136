/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where functions begin, by the tables for unwinding, which stripped files keep: .eh_frame_hdr has
 * the start of each, and .eh_frame how long it is (Linux Standard Base 5.0, chapter 10.6).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "object/elf_image.h"

/*
 * The start of the function that covers ADDRESS (ELF addresses). False: the tables have none, or
 * are not to be believed: both must say the same.
 */
bool eh_frame_find(const struct elf_image *image, uint64_t address, uint64_t *ret);
