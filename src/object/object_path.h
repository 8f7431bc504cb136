/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds objects by path alone. Their build is unknown, so nothing is verified. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "object/object_cache.h"

/*
 * Returns the object of the regular file at PATH. If --substitute-path or --sysroot applies, PATH
 * belongs to another system, and only the resulting paths are tried. BY_OTHERS: PATH was not
 * written by the user, so files of /proc, /sys and the like are refused. Never NULL.
 */
struct object *object_of_path(struct object_cache *cache, const char *path, bool by_others);
/*
 * Finds the ELF address of OFFSET, counted from the load address of IMAGE. Some tools mean the load
 * bias by that: then OFFSET is the ELF address. Others mean the start of the first segment, which
 * differs if it is not at address 0. SURE: the load bias is meant. Otherwise the address that is in
 * code is taken; if both are, the first, and DOUBTFUL_RET is set. Returns false for relocatable
 * files, which have no load address.
 */
bool object_loaded_address(const struct elf_image *image, uint64_t offset, bool sure, uint64_t *ret,
	bool *doubtful_ret);
/*
 * Finds the ELF address of OFFSET bytes into the file. Unless SURE, OFFSET is taken for an ELF
 * address if no segment has that offset and there is code at that address. Returns false otherwise.
 */
bool object_offset_address(
	const struct elf_image *image, uint64_t offset, bool sure, uint64_t *ret);
/*
 * Finds the ELF address of OFFSET bytes into an executable mapping of IMAGE that is SIZE bytes
 * long. Returns false unless exactly one code segment has that size.
 */
bool object_mapped_address(
	const struct elf_image *image, uint64_t offset, uint64_t size, uint64_t *ret);
