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
 * False: the process's memory has not the headers of IMAGE where the file's would be. What cannot be
 * read or is not mapped is no difference.
 */
bool identity_same_headers(
	const struct space *space, const struct mapping *mapping, const struct elf_image *image);
/* Whether the file is an overlay's, which a write replaces while it stays mapped: its number stays. */
bool identity_may_be_copied_up(const struct elf_image *image);
/*
 * Whether nobody could have written the file that SEARCH opened as IMAGE, or led to it, but root, who runs this, the
 * process's user, who owns the process's root directory, or who owns the directory that was chosen.
 */
bool identity_is_trusted(const struct search *search, const struct elf_image *image);
enum verdict {
	VERDICT_OTHER,	 /* another file */
	VERDICT_CLAIMED, /* has the mapping's build ID, and another user could have written it */
	VERDICT_EQUAL, /* another file of the same build ID, of root, of the process's user or ours */
	VERDICT_RIGHT,
};

/*
 * The verdict on a file, opened as IMAGE: by build ID where one is known, else by PROOF_LINK or PROOF_KEPT, or by
 * SAME_INODE unless the search is strict, and then the headers in the process's memory.
 */
enum verdict identity_verify(const struct search *search, const struct elf_image *image,
	enum proof proof, bool same_inode);
