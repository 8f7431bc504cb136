/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are packed as a whole: kernel modules as .ko.xz, .ko.zst and .ko.gz. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Unpacked bytes, malloc'ed. Zero-filled is empty. */
struct unpacked {
	uint8_t *data;
	size_t len, cap;
	size_t max; /* as many are enough */
};

/*
 * Adds to RET what the LEN bytes of xz at PACKED hold, in several streams with CONCATENATED. False:
 * they are broken, or hold more than RET->max, or take more than MEMORY bytes to read; RET may have
 * some of it.
 */
bool unpack_xz(
	const void *packed, size_t len, uint64_t memory, bool concatenated, struct unpacked *ret);

/* True if the file FD begins like one of them, whatever its name is. */
bool unpack_is_packed(int fd);
/*
 * What the file FD, read from where it stands, holds, malloc'ed. False: it is broken, is not
 * packed, or unpacks to more than 1 GiB.
 */
bool unpack_file(int fd, void **ret, size_t *size_ret);
