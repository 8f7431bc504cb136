/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening and reading files that others control: only regular files, never blocking on a FIFO,
 * never out of a given root, never more bytes than asked for. When descriptors run out the program
 * ends (util/limits.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"
#include "util/text.h"

/*
 * Opens PATH (relative to the directory DIRFD) for reading. Symbolic links are followed, but what
 * they lead to must be a regular file: it is looked at through O_PATH before it is opened, so that
 * no device or FIFO is ever touched. -1 with errno set (EINVAL: not a regular file).
 */
int file_open_regular(int dirfd, const char *path);
/* Returns the error for ERRNUM, which file_open_regular() or another of these gave for PATH. */
struct error *file_error(int errnum, const char *path) must_check;
/* Opens PATH with O_PATH, as RESOLVE says (openat2, linux/openat2.h). -1 with errno set. */
int file_find(int dirfd, const char *path, uint64_t resolve);
/* True if FD is on a disk, or in memory as on one, and nothing that a kernel makes up as it is read. */
bool file_is_stored(int fd);
/* Opens for reading what the O_PATH descriptor stands for; EINVAL: not a regular file. */
int file_reopen_regular(int path_fd);
/*
 * Appends what FD has up to its end. More than MAX bytes is an error (EFBIG); 0 or a negative
 * errno. Works for files of /proc, which have no size.
 */
int file_read_all(int fd, size_t max, struct text *ret);
/* Reads SIZE bytes at AT of FD. Returns how many it could read. */
size_t file_read_at(int fd, void *ret, size_t size, uint64_t at);
/* Appends the regular file PATH as the functions above open and read it; 0 or a negative errno. */
int file_read_regular(int dirfd, const char *path, size_t max, struct text *ret);
/* True if PATH ("-": standard input) can be read without waiting; false for what is not there. */
bool file_path_is_regular(const char *path);
/* What follows the last slash of PATH, in it; all of it if nothing does. */
const char *file_base_name(const char *path);

/*
 * Creates a file for writing that is to get the name PATH when it is complete: without a name for now, where
 * the file system can, so that nothing is left if the program is killed (UNNAMED_RET). TEMPORARY_RET: the
 * name beside PATH that it has, or is to have by then; owned by the caller. -1 with errno set: neither.
 */
int file_create_unnamed(const char *path, mode_t mode, char **temporary_ret, bool *unnamed_ret);
/* Gives FD, what file_create_unnamed() created, a name beside PATH, if it has none: 0, or -1 with errno set. */
int file_name_temporary(int fd, const char *path, char **temporary, bool *unnamed);
