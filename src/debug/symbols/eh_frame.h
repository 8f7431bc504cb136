/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where functions begin, by the tables for unwinding, which stripped files keep: .eh_frame_hdr has
 * the start of each, and .eh_frame how long it is (Linux Standard Base 5.0, chapter 10.6).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/unwind/cfi.h"
#include "object/elf_image.h"

/*
 * The start of the function that covers ADDRESS (ELF addresses). False: the tables have none, or
 * are not trusted: both must say the same.
 */
bool eh_frame_find(const struct elf_image *image, uint64_t address, uint64_t *ret);
/* The FDE of that function, and the bytes that it is in. */
bool eh_frame_fde(const struct elf_image *image, uint64_t address, struct cfi *cfi_ret,
	struct cfi_fde *fde_ret);
/* True if there is a table for searching. */
bool eh_frame_has_table(const struct elf_image *image);
