/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What option tables are made of: places in --help, and values; wrong ones end the program with what would be
 * right.
 */
#pragma once

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

/*
 * The order of --help is that of the option tables. argp sorts the options of a group by name, so each
 * entry is a group of its own: sections in the order below, entries by their line in the source.
 */
enum help_section {
	HELP_DIFF = 1,
	HELP_DUMPS,
	HELP_LIVE,
	HELP_RESOLVE,
	HELP_FILES,
	HELP_DEBUGINFOD,
	HELP_SYSTEM,
	HELP_SELECT,
	HELP_PRINT,
	HELP_DESTINATION,
	HELP_OTHER,
};

/* The group of an entry; a table stands within the first 1000 lines of its file. */
#define HELP_AT(section) ((section)*1000 + __LINE__)
/* An entry for an option, with a value that must be given if ARG names one. */
#define OPTION(section, name, key, arg, doc)                                                       \
	{                                                                                          \
		name, key, arg, 0, doc, HELP_AT(section)                                           \
	}
/* An entry that is a heading; a newline in TITLE makes the empty line before it. */
#define HELP_HEADING(section, title)                                                               \
	{                                                                                          \
		title, 0, NULL, OPTION_DOC | OPTION_NO_USAGE, NULL, HELP_AT(section)               \
	}

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

/* Ends the program with MESSAGE if the options are WRONG. */
void value_refuse(struct argp_state *state, bool wrong, const char *message);
/* Fails when the PATH that OPTION gives is no directory. */
struct error *value_directory(const char *option, const char *path) must_check;
