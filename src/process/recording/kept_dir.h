/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory of copies that `stack2line record --keep-files` makes. Its files are trusted to be
 * the recorded ones, so only its owner may be able to put files there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/build_id.h"
#include "util/error.h"

/*
 * Maximum length of a name, with NUL: build ID in hex or "none", a dash, five numbers of 16 digits.
 * No two files have the same name.
 */
#define KEPT_NAME_MAX (2 * BUILD_ID_MAX + 1 + 5 * 16 + 1)

#define KEPT_NO_ID "none"

bool kept_name_is(const char *name);

/*
 * Creates the directory PATH, whose parent must exist, or opens the existing one. It is locked as
 * long as RET or a duplicate of it is open. Fails with ERROR_USAGE if PATH is a symbolic link,
 * belongs to another user, is accessible to others, or is locked by another recorder.
 */
struct error *kept_dir_create(const char *path, int *ret) must_check;
/*
 * Opens PATH for reading. Returns a descriptor or a negative errno: -EPERM if its owner is neither
 * root nor this user, or if others can write to it; -ELOOP or -ENOTDIR if it is a symbolic link or
 * not a directory.
 */
int kept_dir_open(const char *path);
/*
 * Opens the copy NAME of SIZE bytes in DIR for reading. Returns a descriptor or a negative errno:
 * -EPERM as above, -EINVAL if NAME is not the name of a copy or its size differs.
 */
int kept_dir_file(int dir, const char *name, uint64_t size);
