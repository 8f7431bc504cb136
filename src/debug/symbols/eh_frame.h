/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds where functions begin by the unwind tables, which stripped files keep: .eh_frame_hdr has
 * the start of each, .eh_frame its length (Linux Standard Base 5.0, chapter 10.6).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/unwind/cfi.h"
#include "object/elf_image.h"

/*
 * Finds the start of the function that covers ADDRESS (ELF addresses). Returns false if the tables
 * have none or contradict each other.
 */
bool eh_frame_find(const struct elf_image *image, uint64_t address, uint64_t *ret);
/*
 * Finds the FDE of the function that covers ADDRESS, and the bytes that contain it. Returns false
 * like eh_frame_find().
 */
bool eh_frame_fde(const struct elf_image *image, uint64_t address, struct cfi *cfi_ret,
	struct cfi_fde *fde_ret);
/* Returns true if IMAGE has a search table. */
bool eh_frame_has_table(const struct elf_image *image);
