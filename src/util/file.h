/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens and reads files that others control: only regular files, without blocking on a FIFO,
 * without leaving a given root, and never more bytes than asked for. The program ends if it runs
 * out of descriptors (util/limits.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "util/error.h"
#include "util/text.h"
#include "util/vec.h"

/*
 * Opens PATH (relative to the directory DIRFD) for reading. Follows symbolic links, but the target
 * must be a regular file: it is checked through O_PATH before it is opened, so that devices and
 * FIFOs are never opened. Returns -1 with errno set (EINVAL: not a regular file).
 */
int file_open_regular(int dirfd, const char *path);
/*
 * Returns true if A and B, two states of one file, have the same size and modification time.
 */
bool file_same_content(const struct stat *a, const struct stat *b);
/* Returns the error for PATH if one of these functions failed with ERRNUM. */
struct error *file_error(int errnum, const char *path) must_check;
/*
 * Opens PATH with O_PATH and the resolve flags RESOLVE (openat2(2), linux/openat2.h). Returns -1
 * with errno set on failure.
 */
int file_find(int dirfd, const char *path, uint64_t resolve);
/*
 * Returns true if FD is on a disk file system or in tmpfs; false if the kernel generates its
 * content (/proc, /sys and the like).
 */
bool file_is_stored(int fd);
/*
 * Opens the file of the O_PATH descriptor for reading. Returns -1 with errno set (EINVAL: not a
 * regular file).
 */
int file_reopen_regular(int path_fd);
/*
 * Appends the rest of FD to RET. Works for files of /proc, which have no size. Returns 0, or a
 * negative errno; -EFBIG if RET would grow beyond MAX bytes.
 */
int file_read_all(int fd, size_t max, struct text *ret);
/* Reads up to SIZE bytes at file offset AT. Returns how many were read. */
size_t file_read_at(int fd, void *ret, size_t size, uint64_t at);
/*
 * Appends the regular file PATH to RET: file_open_regular() and file_read_all(). Returns 0 or a
 * negative errno.
 */
int file_read_regular(int dirfd, const char *path, size_t max, struct text *ret);
/* Returns true if PATH ("-": standard input) is a regular file, which never blocks a reader. */
bool file_path_is_regular(const char *path);
/*
 * Returns a pointer to the part of PATH after its last slash, or PATH itself if nothing follows the
 * slash.
 */
const char *file_base_name(const char *path);

/*
 * Creates a file for writing that gets the name PATH once it is complete. UNNAMED_RET is true if
 * the file system supports files without a name (O_TMPFILE), which vanish if the program is killed.
 * TEMPORARY_RET gets the temporary name beside PATH that the file has, or that
 * file_name_temporary() will try first; the caller frees it. Returns -1 with errno set on failure.
 */
int file_create_unnamed(const char *path, mode_t mode, char **temporary_ret, bool *unnamed_ret);
/*
 * Gives FD, a result of file_create_unnamed(), a temporary name beside PATH if UNNAMED. Updates
 * TEMPORARY and UNNAMED. Returns 0, or -1 with errno set.
 */
int file_name_temporary(int fd, const char *path, char **temporary, bool *unnamed);

/*
 * The segments of a recording with limited size. FILE is the current one; FILE.000001 and so on are
 * older, the lowest number being the oldest. Each is a complete recording.
 */
struct segment {
	char *path;
	uint64_t number;
};

struct segments VEC(struct segment); /* sorted by number */

/* Lists the existing older segments of PATH, without reading them. */
void segments_list(const char *path, struct segments *ret);
void segments_deinit(struct segments *segments);
/* Returns the path of segment NUMBER; the caller frees it. */
char *segment_path(const char *path, uint64_t number);
