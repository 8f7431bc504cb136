/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc, or another directory in its place (--proc). */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/maps.h"
#include "util/scan.h"
#include "util/text.h"

struct procfs_link {
	char name[64]; /* relative to /proc/PID */
};

/*
 * Opens the directory ROOT/PID. Returns a descriptor or a negative errno, -ENOENT if there is no
 * such process. The descriptor stays bound to this process: after its exit reads fail with ESRCH,
 * even if the PID is reused.
 */
int procfs_open_process(const char *root, int64_t pid);
/* Appends the content of the file NAME below DIRFD to RET. Returns 0 or a negative errno. */
int procfs_read(int dirfd, const char *name, struct text *ret);
/*
 * Appends the mappings of the process at DIRFD to RET; copies paths to STRINGS. If FD_RET is not
 * NULL and maps is not empty, sets FD_RET to the open maps file. Returns 0 or a negative errno.
 */
int procfs_maps(int dirfd, struct arena *strings, struct maps *ret, int *fd_ret);

/*
 * Finds field NUMBER (proc(5)) of STAT, one after the name. Returns false if STAT has no such
 * field.
 */
bool procfs_stat_word(const struct text *stat, int number, struct scan *ret);
/*
 * Reads field NUMBER of the stat file (proc(5)) at DIRFD, which must be an unsigned number after
 * the name. Returns false if it cannot be read.
 */
bool procfs_stat_field(int dirfd, int number, uint64_t *ret);
/* Returns the start time of the process at DIRFD in clock ticks since boot, or 0 if unknown. */
uint64_t procfs_started(int dirfd);
/* Returns the inode of the namespace NAME below DIRFD (such as "ns/mnt"), or 0 if unknown. */
uint64_t procfs_namespace(int dirfd, const char *name);
/*
 * Opens the kernel's link to the file of MAPPING in /proc/PID/map_files. Returns -1 and sets errno
 * on failure, to ESTALE if another file has been mapped there since maps was read.
 */
int procfs_open_mapped(int dirfd, const struct mapping *mapping);
struct procfs_link procfs_link_of(const struct mapping *mapping);

/*
 * Opens the directory NAME below DIRFD. Returns NULL on failure. procfs_close_dir() is its scope
 * guard.
 */
DIR *procfs_open_dir(int dirfd, const char *name);
void procfs_close_dir(DIR **dir);

/* Reads the next ID of a process or thread, 1 to INT32_MAX, from DIR; none if that is NULL. */
bool procfs_next_id(DIR *dir, uint32_t *ret);

/* Returns the boot ID of the system whose /proc is ROOT, malloc'ed, or NULL if unknown. */
char *procfs_boot_id(const char *root);

/* Parses /proc/PID/status (fs/proc/array.c, proc_pid_status()). */

#define STATUS_PIDS_MAX 33 /* MAX_PID_NS_LEVEL nested namespaces and the initial one */

/* The IDs of a task, from the reader's PID namespace to its innermost one. */
struct status_pids {
	int64_t pids[STATUS_PIDS_MAX];
	size_t n;
};

struct status {
	struct status_pids process, thread; /* NStgid and NSpid */
	uint64_t uid;			    /* effective UID in the reader's user namespace */
};

/* Returns false if TEXT lacks any of these fields. */
bool status_parse(const char *text, size_t len, struct status *ret);
/* Reads the status of the process whose /proc directory is DIRFD. Returns false on failure. */
bool status_read(int dirfd, struct status *ret);
