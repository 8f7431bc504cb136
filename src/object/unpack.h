/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks whole files: kernel modules such as .ko.xz, .ko.zst and .ko.gz. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Unpacked bytes, malloc'ed. */
struct unpacked {
	uint8_t *data;
	size_t len, cap;
	size_t max; /* limit for LEN, in bytes */
};

/*
 * Appends the content of the LEN bytes of xz data at PACKED to RET, of several streams if
 * CONCATENATED. Returns false if the data is broken, exceeds RET->max, or needs more than MEMORY
 * bytes of memory to decode; RET may then hold part of it.
 */
bool unpack_xz(
	const void *packed, size_t len, uint64_t memory, bool concatenated, struct unpacked *ret);

/* Returns true if the file FD begins with the magic bytes of a format, whatever its name is. */
bool unpack_is_packed(int fd);
/*
 * Unpacks the file FD from its current position into malloc'ed memory. Returns false if it is
 * broken, not packed, or unpacks to more than 1 GiB.
 */
bool unpack_file(int fd, void **ret, size_t *size_ret);
