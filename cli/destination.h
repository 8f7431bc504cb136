/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The destination of output: standard output, or the file of -o. */
#pragma once

#include <stdbool.h>

#include "save_file.h"

struct options;

struct destination {
	const char *path; /* -o; NULL: standard output */
	bool no_pager;
	int terminal; /* descriptor of the terminal while standard output goes to a pager */
	struct save_file file;
};

/*
 * Redirects standard output to the file of OPTIONS, if any, which gets its name when it is
 * complete. Returns 0, or the exit status after printing an error.
 */
int destination_open(struct options *options);
/* Gives the file its name now: for output that is read while it grows, or must not be lost. */
struct error *destination_publish(struct destination *destination) must_check;
/* Sends further output through a pager if it goes to a terminal, until destination_page_end(). */
void destination_page(struct destination *destination);
/* Waits until the user leaves the pager, if there is one. */
void destination_page_end(struct destination *destination);
/*
 * Ends the output of a command whose exit status is STATUS. If it failed, no file is left. Returns
 * the exit status.
 */
int destination_close(struct destination *destination, int status);
