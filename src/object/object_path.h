/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects that a list names by their path: it is not known which build it is, so nothing is
 * verified.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "object/object_cache.h"

/*
 * The object of the regular file at PATH as we see it; where --substitute-path or --sysroot apply,
 * there and nowhere else, as PATH is then another system's. BY_OTHERS: what wrote PATH is not the
 * user's, and leads to no file of /proc, /sys and the like. Never NULL.
 */
struct object *object_of_path(struct object_cache *cache, const char *path, bool by_others);
/*
 * The ELF address of OFFSET from the load address of IMAGE, which some take for the load bias
 * (ELF addresses count from it; with SURE this one is meant) and others for the start of the first
 * segment. Only where that does not begin at 0 are these two. DOUBTFUL_RET: both lie in code, and
 * the first is the result. False: a relocatable file is loaded nowhere.
 */
bool object_loaded_address(const struct elf_image *image, uint64_t offset, bool sure, uint64_t *ret,
	bool *doubtful_ret);
/*
 * The ELF address of what lies OFFSET bytes into the file; unless SURE, OFFSET itself where that is
 * in code and the file is shorter. False: no segment holds it.
 */
bool object_offset_address(
	const struct elf_image *image, uint64_t offset, bool sure, uint64_t *ret);
/*
 * The ELF address OFFSET bytes from where a mapping begins that is of SIZE bytes, executable and of
 * the file IMAGE. False: no code segment, or several, are so long.
 */
bool object_mapped_address(
	const struct elf_image *image, uint64_t offset, uint64_t size, uint64_t *ret);
