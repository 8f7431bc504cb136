/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading /proc, or another directory that stands for it (--proc). */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#include "process/maps.h"
#include "util/scan.h"
#include "util/text.h"

struct procfs_link {
	char name[64]; /* below /proc/PID */
};

/*
 * Opens ROOT/PID as a directory descriptor, or a negative errno: -ENOENT when there is no such
 * process. The descriptor keeps standing for this process: reads fail with ESRCH once it is gone,
 * even if its pid is used again.
 */
int procfs_open_process(const char *root, int64_t pid);
/* Appends the whole file NAME below DIRFD to RET; 0 or a negative errno. */
int procfs_read(int dirfd, const char *name, struct text *ret);
/*
 * Appends the mappings of the process whose directory DIRFD is to RET, their paths copied into
 * STRINGS. FD_RET (NULL: not wanted) becomes the open maps file, unless that is empty. Returns 0 or
 * a negative errno.
 */
int procfs_maps(int dirfd, struct arena *strings, struct maps *ret, int *fd_ret);

/* The word that is field NUMBER (proc(5)) of STAT, one after the name. False: STAT has no such field. */
bool procfs_stat_word(const struct text *stat, int number, struct scan *ret);
/*
 * Field NUMBER of PID's stat (proc(5)), one behind the name that is a number from 0; DIRFD is /proc/PID.
 * False: it cannot be read.
 */
bool procfs_stat_field(int dirfd, int number, uint64_t *ret);
/* When it started, in clock ticks since boot; 0: unknown. */
uint64_t procfs_started(int dirfd);
/* Which namespace NAME below DIRFD ("ns/mnt") is: its inode; 0: unknown. */
uint64_t procfs_namespace(int dirfd, const char *name);
/*
 * Opens the kernel's own link to the file of MAPPING below /proc/PID. -1 and errno: it cannot; ESTALE: another file is
 * mapped there since maps was read.
 */
int procfs_open_mapped(int dirfd, const struct mapping *mapping);
struct procfs_link procfs_link_of(const struct mapping *mapping);

/* The directory NAME below DIRFD, NULL: it cannot be opened. procfs_close_dir() is its scope guard. */
DIR *procfs_open_dir(int dirfd, const char *name);
void procfs_close_dir(DIR **dir);

/* Finds the next ID of a process or thread, from 1 to INT32_MAX, in /proc or a task directory. */
bool procfs_next_id(DIR *dir, uint32_t *ret);

/* The boot ID of the system below ROOT, malloc'ed; NULL: unknown. */
char *procfs_boot_id(const char *root);
