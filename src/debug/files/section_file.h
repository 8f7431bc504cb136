/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Downloads single sections of a debug file that is too large to download whole. */
#pragma once

#include "debug/debug.h"
#include "object/elf_image.h"

/*
 * Downloads the needed sections of IMAGE's debug file, all at once, waits for them, and joins them
 * into an ELF file with no other content; the result is the caller's to destroy. The file has no
 * name: it is in the cache's directory, or in memory if it cannot be created there. The build ID in
 * the downloaded .note.gnu.build-id must match; the other sections cannot be verified, but come
 * from the same servers. Returns NULL on failure, with the reason in OUTCOME_RET (malloc'ed).
 * FETCH, the download of the whole file, is told the number of bytes.
 */
struct elf_image *section_file_fetch(const struct elf_image *image,
	const struct debug_options *options, struct fetch *fetch, char **outcome_ret);
