/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing a file whole or not at all: it has another name, and is its owner's only, until all of it
 * is on disk; then it takes the place of what had the name before.
 */
#pragma once

#include <stdio.h>

#include "util/error.h"

struct save_file {
	FILE *file; /* to write to */
	const char *path;
	char *temporary; /* name of FILE; owned */
};

/* Zero-filled is empty. PATH must outlive RET. */
struct error *save_file_open(const char *path, struct save_file *ret) must_check;
/* Gives the file its name. The error is a failed write; nothing is left behind then. */
struct error *save_file_finish(struct save_file *save) must_check;
/* Removes what was not finished. */
void save_file_deinit(struct save_file *save);
