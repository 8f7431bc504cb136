/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a file completely or not at all. Until all of it is on disk, the file has no name or a
 * temporary one; then it replaces an earlier file.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "util/error.h"

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
/* Gives the file its name before it is complete. */
struct error *save_file_publish(struct save_file *save) must_check;
/*
 * Syncs and closes the file and gives it its name. Returns an error if a write failed;
 * save_file_deinit() removes the file then.
 */
struct error *save_file_finish(struct save_file *save) must_check;
/* Closes the file, and removes it unless it was published or finished. */
void save_file_deinit(struct save_file *save);
