/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are packed as a whole: kernel modules as .ko.xz, .ko.zst and .ko.gz. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* True if the file FD begins like one of them, whatever its name is. */
bool unpack_is_packed(int fd);
/*
 * What the file FD, read from where it stands, holds, malloc'ed. False: it is broken, is not
 * packed, or unpacks to more than 1 GiB.
 */
bool unpack_file(int fd, void **ret, size_t *size_ret);
