/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading /proc, or another directory that stands for it (--proc). */
#pragma once

#include <dirent.h>
#include <stdint.h>

#include "util/text.h"

/*
 * Opens ROOT/PID as a directory descriptor, or a negative errno: -ENOENT when there is no such
 * process. The descriptor keeps standing for this process: reads fail with ESRCH once it is gone,
 * even if its pid is used again.
 */
int procfs_open_process(const char *root, int64_t pid);
/* Appends the whole file NAME below DIRFD to RET; 0 or a negative errno. */
int procfs_read(int dirfd, const char *name, struct text *ret);

/* The directory NAME below DIRFD, NULL: it cannot be opened. procfs_close_dir() is its scope guard. */
DIR *procfs_open_dir(int dirfd, const char *name);
void procfs_close_dir(DIR **dir);

/* The boot ID of the system below ROOT, malloc'ed; NULL: unknown. */
char *procfs_boot_id(const char *root);
