/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of a command, as tables of rows. Each row has its line of --help and its action. argp
 * parses the command line and prints --help in the order of the tables. A wrong value ends the
 * program with a message that says what is expected.
 */
#pragma once

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct choice {
	const char *word; /* NULL ends a table */
	int value;
};

/* Action of a row. */
enum option_store {
	CALL,	    /* calls `set`, if not NULL, with the member or, without one, the struct */
	STORE_TRUE, /* in the member, a bool */
	STORE_FALSE,
	STORE_VALUE,  /* `value`, in an enum */
	STORE_CHOICE, /* one of the choices, in an enum */
	STORE_PID,    /* at least `value`, in an int64_t */
	STORE_SIZE,   /* in bytes, at least `value`, in a uint64_t */
	STORE_TIME,   /* in seconds, at least `value`, in a uint64_t */
	STORE_TEXT,   /* in a const char * */
	ADD_TEXT,     /* to a struct string_vec */
};

struct option_value;

struct option_row {
	/*
	 * As in --help: "-k, --kernel", "--exe=FILE", "--top[=N]" if the value may be left out, or
	 * only "-C". NULL: DOC is a heading; {} ends a table.
	 */
	const char *option;
	/* NULL: not in --help. The short help shows rows with a \v, and their doc up to it. */
	const char *doc;
	enum option_store store;
	size_t member; /* offset in the struct of options */
	/* valid values, or valid parts before a =; NULL: anything */
	const struct choice *choices;
	int value;
	void (*set)(void *member, const struct option_value *value);
	const char *instead; /* if not NULL, the option is refused with this advice */
};

/* Initializes a row's action and its member, FIELD of TYPE. */
#define OPTION_MEMBER(how, type, field) .store = (how), .member = offsetof(type, field)

/* A given option. */
struct option_value {
	const struct option_row *row;
	const struct argp_option *option; /* of ROW */
	char *arg;			  /* NULL: no value */
	struct argp_state *state;
};

struct option_command {
	const char *args_doc, *doc;	     /* for --help */
	const char *short_doc;		     /* for the short help; NULL: --help shows all rows */
	const struct option_row *tables[12]; /* in the order of --help; NULL after the last */
	bool stops_at_argument;		     /* options after the first argument are not ours */
	/* Called at the end with the N arguments. Returns what is wrong, NULL if nothing is. */
	const char *(*finish)(void *options, char **arguments, size_t n);
};

/* Parses ARGV into OPTIONS. Ends the program for --help, --version and usage errors like argp. */
void option_parse(const struct option_command *command, int argc, char **argv, void *options);
/* Print --help, or the version, and end the program; a row's `set`. */
void option_print_help(void *options, const struct option_value *value);
void option_print_version(void *options, const struct option_value *value);
/* Prints the valid values of the option that VALUE names, one per line, and ends the program. */
void option_print_words(void *options, const struct option_value *value);

/* Ends the program with the message that the value is not EXPECTED. */
void option_wrong(const struct option_value *value, const char *expected);

/*
 * Returns the value of the word given, or the row's `value` if there is none. Ends the program if
 * the word is not one of the row's choices.
 */
int option_choice(const struct option_value *value);
/* For --reader, which earlier builds had: refuses what is not the built-in reader. */
void option_set_reader(void *options, const struct option_value *value);
/* Returns a number from MIN to MAX. WHAT describes it in the message ("a number of seconds"). */
uint64_t option_number(
	const struct option_value *value, const char *what, uint64_t min, uint64_t max);
/* Returns an error if PATH, given by OPTION, is not a directory. */
struct error *option_directory(const char *option, const char *path) must_check;
