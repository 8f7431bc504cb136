/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory of copies that `stack2line record --keep-files` makes. Its files are believed to be what a
 * recording says, so nobody but its owner may be able to put one there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/build_id.h"
#include "util/error.h"

/* HEX or "none", a dash, five numbers of 16 digits: no two files have the same. With the NUL. */
#define KEPT_NAME_MAX (2 * BUILD_ID_MAX + 1 + 5 * 16 + 1)

#define KEPT_NO_ID "none"

bool kept_name_is(const char *name);

/*
 * Makes the directory PATH (its parent must be there) or opens the one that is there, and locks it for
 * as long as RET, or a copy of it, is open. ERROR_USAGE: it is a link, another user's, open to others, or
 * another recorder's.
 */
struct error *kept_dir_create(const char *path, int *ret) must_check;
/*
 * Opens PATH for reading. A negative errno; EPERM: it is neither root's nor ours, or others can write to it,
 * ELOOP or ENOTDIR: it is a link or no directory.
 */
int kept_dir_open(const char *path);
/* Opens the copy NAME of SIZE bytes in DIR for reading. A negative errno; EPERM as above, EINVAL: no such copy. */
int kept_dir_file(int dir, const char *name, uint64_t size);
