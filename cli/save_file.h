/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing a file whole or not at all: it has no name, or another one, until all of it is on disk;
 * then it takes the place of what had the name before.
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
	bool unnamed;	 /* it is not there yet */
};

/* Zero-filled is empty. PATH must outlive RET; the umask is taken off MODE. */
struct error *save_file_open(const char *path, mode_t mode, struct save_file *ret) must_check;
/* Gives the file its name before it is complete. */
struct error *save_file_publish(struct save_file *save) must_check;
/*
 * Closes the file and gives it its name. The error is a failed write; nothing is left behind then.
 */
struct error *save_file_finish(struct save_file *save) must_check;
/* Removes what was not finished. */
void save_file_deinit(struct save_file *save);
