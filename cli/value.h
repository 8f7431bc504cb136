/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of options. Wrong ones end the program with what would be right. */
#pragma once

#include <argp.h>
#include <stdint.h>

#include "util/error.h"

struct choice {
	const char *word; /* NULL ends a table */
	int value;
};

/* What --OPTION takes, for --words. */
struct choices {
	const char *option; /* NULL ends a table */
	const struct choice *words;
};

/* The value of WORD, which must be one of CHOICES. OPTION is its name, for the message. */
int value_choice(struct argp_state *state, const char *option, const struct choice *choices,
	const char *word);
/* ARG as a number from MIN to MAX; WHAT says what it counts ("a number of seconds"). */
uint64_t value_number(struct argp_state *state, const char *option, const char *what,
	const char *arg, uint64_t min, uint64_t max);

/*
 * ARG as a number with a unit after it: bytes with K, M, G or T (of 1024), seconds with s, m, h or d.
 * Without a unit: bytes, seconds. At least MIN.
 */
uint64_t value_size(struct argp_state *state, const char *option, const char *arg, uint64_t min);
uint64_t value_time(struct argp_state *state, const char *option, const char *arg, uint64_t min);

/* Fails when the PATH that OPTION gives is no directory. */
struct error *value_directory(const char *option, const char *path) must_check;
