/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the debug info of an ELF file is: in itself, or in a separate file that its build ID or its
 * .gnu_debuglink names. For the files that those name in turn see companions.h.
 */
#pragma once

#include <stdbool.h>

#include "debug/debug.h"
#include "object/elf_image.h"
#include "util/text.h"

/* True if the file has DWARF of its own: a .debug_info section with content. */
bool debug_file_has_dwarf(const struct elf_image *image);
/*
 * Why libdw would not read the DWARF of IMAGE although it has some (a constant string), NULL if
 * nothing speaks against it.
 */
const char *debug_file_unreadable(const struct elf_image *image);
/*
 * The separate debug file of IMAGE in the places of this system, the caller's to destroy; NULL if
 * none fits. Candidates in order: DIR/.build-id/xx/rest.debug in each debug directory, of the
 * target's root first, then of ours; the debuglink's name beside the file, in .debug/ beside it,
 * and in each debug directory under the file's own directory, again in both roots; the cache of
 * debuginfod. One that exists but belongs to another build (by build ID, or by CRC where one has no
 * build ID) is passed over, and so is one without debug info as long as there are others. TRIED
 * (may be NULL) gets what was looked at: "PATH: outcome", "; " between.
 */
struct elf_image *debug_file_find(
	const struct elf_image *image, const struct debug_options *options, struct text *tried);
/* Begins to fetch the debug file of IMAGE. NULL: downloads are off, or it has no build ID. */
struct fetch *debug_file_fetch(const struct elf_image *image, const struct debug_options *options);
/*
 * Waits for FETCH and opens what came, the caller's to destroy; of a file that is too large the
 * sections needed are fetched instead. NULL: nothing. OUTCOME_RET (malloc'ed) says what became of
 * it.
 */
struct elf_image *debug_file_fetched(const struct elf_image *image,
	const struct debug_options *options, struct fetch *fetch, char **outcome_ret);
