/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Option values that are one of a few words. */
#ifndef CLI_CHOICE_H
#define CLI_CHOICE_H

#include <argp.h>

struct choice {
	const char *word; /* NULL ends a table */
	int value;
};

/* The value of WORD; ends the program with the list of words when it is none of them. */
int choice_parse(
	struct argp_state *state, const char *option, const struct choice *choices, const char *word);

#endif
