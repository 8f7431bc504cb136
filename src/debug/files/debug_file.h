/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the debug info of an ELF file: in the file itself, or in a separate debug file that its
 * build ID or its .gnu_debuglink names. For the files that those name in turn see companions.h.
 */
#pragma once

#include "debug/debug.h"
#include "object/elf_image.h"
#include "util/text.h"

/*
 * Returns the separate debug file of IMAGE on this system, the caller's to destroy; NULL if there
 * is none. Candidates, in this order:
 * - the files given with -e that have its build ID;
 * - DIR/.build-id/xx/rest.debug in each debug directory, first of the target's root, then of ours;
 * - the name in .gnu_debuglink: beside the file and in .debug/ beside it, in the target's root
 *   only; in each debug directory below the path of the file's own directory, again in both roots;
 *   and directly in each debug directory of ours;
 * - any file directly in a debug directory that has its build ID, if OPTIONS has folders;
 * - debuginfod's cache.
 * Skips files of another build. The build ID decides that; for a debug link where either file has
 * none, the code sections and the CRC do. A match without debug info is returned only if no other
 * match has any. TRIED (may be NULL) gets the files tried, as "PATH: outcome" separated by "; ".
 */
struct elf_image *debug_file_find(
	const struct elf_image *image, const struct debug_options *options, struct text *tried);
/*
 * Waits for FETCH and opens the downloaded file, the caller's to destroy. If the file is too large,
 * downloads only the sections needed. Returns NULL on failure. OUTCOME_RET (malloc'ed) gets the
 * result of the download, for messages.
 */
struct elf_image *debug_file_fetched(const struct elf_image *image,
	const struct debug_options *options, struct fetch *fetch, char **outcome_ret);
