/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A debug file of which only the sections that are read are fetched, since it is large. */
#pragma once

#include <stdint.h>

#include "debug/debug.h"
#include "object/elf_image.h"

/*
 * Fetches the sections of IMAGE's debug file, all at once, waits for them and puts them together as
 * an ELF file that has no other content; the caller's to destroy. It is in a file without a name in
 * the cache's directory. What came is verified by the build ID in .note.gnu.build-id, which is
 * fetched too: the others say nothing of themselves, but come from the same servers. NULL: it could
 * not be had, and OUTCOME_RET (malloc'ed) says why. BYTES_RET: how much was fetched.
 */
struct elf_image *section_file_fetch(const struct elf_image *image,
	const struct debug_options *options, char **outcome_ret, uint64_t *bytes_ret);
