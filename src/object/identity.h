/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides whether an open file is the mapped one. */
#pragma once

#include <stdbool.h>

#include "object/elf_image.h"
#include "object/find/finder.h"

/*
 * Compares device and inode with those of the mapping. While a file is mapped, its inode number is
 * not reused. The device number is that of mountinfo, because stat() gives another one on overlay
 * and btrfs.
 */
bool identity_same_inode(const struct search *search, int fd, enum proof proof);
/*
 * Returns false if the process's memory has other ELF headers than IMAGE. Returns true if they
 * cannot be read or are not mapped.
 */
bool identity_same_headers(
	const struct space *space, const struct mapping *mapping, const struct elf_image *image);
/*
 * Returns true if IMAGE is on an overlay, where a write replaces the file (copy-up) while the old
 * one stays mapped under the same inode number.
 */
bool identity_may_be_copied_up(const struct elf_image *image);
/*
 * Returns who could have written the file that SEARCH opened as IMAGE, or changed a link to it.
 * PROVENANCE_THEIRS are the process's user and the owner of its root directory.
 */
enum provenance identity_provenance(const struct search *search, const struct elf_image *image);
/*
 * Returns what shows that the file opened as IMAGE is the mapped one: its build ID if one is known,
 * else PROOF_LINK, PROOF_KEPT or SAME_INODE, and in addition the headers in the process's memory.
 */
enum evidence identity_verify(const struct search *search, const struct elf_image *image,
	enum proof proof, bool same_inode);
