/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where output goes: standard output, through a pager on a terminal, or to a file. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "util/error.h"

/*
 * A file that is written completely or not at all. Until all of it is on disk, it has no name or a
 * temporary one; then it replaces an earlier file.
 */
struct save_file {
	FILE *file; /* to write to */
	const char *path;
	char *temporary; /* name of FILE; owned */
	bool unnamed;	 /* TEMPORARY does not exist yet */
};

/*
 * Opens a file that is to become PATH, which must outlive RET. MODE is subject to the umask.
 * Returns an error if PATH exists and is not a regular file.
 */
struct error *save_file_open(const char *path, mode_t mode, struct save_file *ret) must_check;
/*
 * Gives the file its name before it is complete: for output that is read while it grows, or must
 * not be lost.
 */
struct error *save_file_publish(struct save_file *save) must_check;
/*
 * Syncs and closes the file and gives it its name. Returns an error if a write failed;
 * save_file_deinit() removes the file then.
 */
struct error *save_file_finish(struct save_file *save) must_check;
/* Closes the file, and removes it unless it was published or finished. */
void save_file_deinit(struct save_file *save);

struct options;

/*
 * Redirects standard output to the file of OPTIONS, if any, which gets its name when it is
 * complete.
 */
struct error *destination_open(const struct options *options) must_check;
/* Gives the file, if any, its name now. */
struct error *destination_publish(void) must_check;
/* Sends further output through a pager if it goes to a terminal, until destination_page_end(). */
void destination_page(const struct options *options);
/* Waits until the user leaves the pager, if there is one. */
void destination_page_end(void);
/*
 * Ends the output of a command whose exit status is STATUS. If it failed, no file is left. Returns
 * the exit status.
 */
int destination_close(int status);
