/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether an open file is the one that is mapped. */
#ifndef OBJECT_IDENTITY_H
#define OBJECT_IDENTITY_H

#include <stdbool.h>

#include "object/elf_image.h"
#include "object/finder.h"

/*
 * By device and inode of the live mapping, which keeps its inode's number from being used again.
 * Device numbers are compared as mountinfo has them: stat() gives others on overlay and btrfs.
 */
bool identity_same_inode(const struct search *search, int fd, enum proof proof);
/*
 * The verdict on FD, opened as IMAGE: by PROOF_LINK, else by build ID where one is known, else by
 * SAME_INODE unless the search is strict.
 */
bool identity_verified(const struct search *search, const struct elf_image *image,
	enum proof proof, bool same_inode);

#endif
