/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether an open file is the one that is mapped. */
#pragma once

#include <stdbool.h>

#include "object/elf_image.h"
#include "object/find/finder.h"

/*
 * By device and inode of the live mapping, which keeps its inode's number from being used again.
 * Device numbers are compared as mountinfo has them: stat() gives others on overlay and btrfs.
 */
bool identity_same_inode(const struct search *search, int fd, enum proof proof);
/*
 * False: the process's memory has not the headers of IMAGE where the file's would be. What cannot
 * be read or is not mapped is no difference.
 */
bool identity_same_headers(
	const struct space *space, const struct mapping *mapping, const struct elf_image *image);
/*
 * Whether the file is an overlay's, which a write replaces while it stays mapped: its number stays.
 */
bool identity_may_be_copied_up(const struct elf_image *image);
/*
 * Who could have written the file that SEARCH opened as IMAGE, or led to it. Theirs are the
 * process's user and who owns the process's root directory.
 */
enum provenance identity_provenance(const struct search *search, const struct elf_image *image);
/*
 * What shows that the file, opened as IMAGE, is the mapped one: its build ID where one is known,
 * else PROOF_LINK, PROOF_KEPT or SAME_INODE; and the headers in the process's memory.
 */
enum evidence identity_verify(const struct search *search, const struct elf_image *image,
	enum proof proof, bool same_inode);
