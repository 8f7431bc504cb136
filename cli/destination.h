/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the output goes: standard output, or the file of -o. */
#pragma once

#include <stdbool.h>

#include "save_file.h"

struct options;

struct destination {
	const char *path; /* -o; NULL: standard output */
	bool no_pager;
	int terminal; /* while standard output is a pager's input */
	struct save_file file;
};

/*
 * From here on standard output is the file of OPTIONS, which gets its name when it is complete. 0,
 * or the exit status if there can be none, and the reason is printed.
 */
int destination_open(struct options *options);
/* The file gets its name now: what is printed is to be seen as it comes, or must not be lost. */
struct error *destination_publish(struct destination *destination) must_check;
/* On a terminal, what is printed from here on goes through a pager, until it is ended. */
void destination_page(struct destination *destination);
/* Waits until the user leaves the pager; does nothing if there is none. */
void destination_page_end(struct destination *destination);
/*
 * Ends the output of a command with this exit STATUS; what failed leaves no file. Returns the exit
 * status.
 */
int destination_close(struct destination *destination, int status);
