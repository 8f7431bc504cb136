/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of a command: tables of rows, each with its line of --help and what it does with its
 * value. argp parses, and prints --help in the order of the tables. A wrong value ends the program,
 * with what would be right.
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

/* What a row does. */
enum option_store {
	CALL,	    /* calls `set`, if it has one */
	STORE_TRUE, /* in its member, a bool */
	STORE_FALSE,
	STORE_FLAG,   /* of its choices, in a bool */
	STORE_VALUE,  /* in an enum */
	STORE_CHOICE, /* one of its choices, in an enum */
	STORE_TEXT,   /* in a const char * */
	ADD_TEXT,     /* to a VEC of const char * */
};

struct option_value;

struct option_row {
	const char *
		name; /* NULL: only a letter; without it too a heading of --help, or {} at a table's end */
	const char *arg; /* what --help calls the value; NULL: none is taken */
	const char *doc; /* NULL: not in --help */
	char letter;	 /* '\0': none */
	bool optional;	 /* the value may be left out */
	enum option_store store;
	size_t member; /* its offset in what holds the options */
	const struct choice
		*choices; /* what the value, or the part before its =, is one of; NULL: anything */
	int value;
	void (*set)(void *options, const struct option_value *value);
	const char *instead; /* the option is refused, and this does the same; NULL: it is not */
};

/* Of a row: what it does to a member of TYPE. */
#define OPTION_MEMBER(how, type, field) .store = (how), .member = offsetof(type, field)

/* A row that was used. */
struct option_value {
	const struct option_row *row;
	char *arg; /* NULL: none was given */
	struct argp_state *state;
};

struct option_command {
	const char *args_doc, *doc;	     /* of --help */
	const struct option_row *tables[12]; /* in the order of --help; NULL after the last */
	int wrong_usage;		     /* exit status; 0: 64 */
	bool stops_at_argument; /* what follows the first argument is none of our options */
	/* Is called at the end, with the N arguments; ends the program if options contradict. */
	void (*finish)(void *options, char **arguments, size_t n, struct argp_state *state);
};

/* Parses ARGV into OPTIONS; --help, --version and wrong usage end the program as argp does. */
void option_parse(const struct option_command *command, int argc, char **argv, void *options);
/* A row's `set`: prints --help and ends the program. */
void option_print_help(void *options, const struct option_value *value);
/* Prints the words that the option called VALUE takes in this command, one a line. */
void option_print_words(const struct option_value *value);

/* Ends the program: OPTION: 'ARG' is not what the FORMAT says. */
void option_wrong(const struct option_value *value, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Ends the program with MESSAGE if the options are WRONG. */
void option_refuse(struct argp_state *state, bool wrong, const char *message);

/* The value of WORD, which must be one of the row's choices. */
int option_choice(const struct option_value *value, const char *word);
/* A number from MIN to MAX; WHAT says what it counts ("a number of seconds"). */
uint64_t option_number(
	const struct option_value *value, const char *what, uint64_t min, uint64_t max);
/*
 * A number with a unit after it: bytes with K, M, G or T (of 1024), seconds with s, m, h or d.
 * Without a unit: bytes, seconds. At least MIN.
 */
uint64_t option_size(const struct option_value *value, uint64_t min);
uint64_t option_time(const struct option_value *value, uint64_t min);
/* Fails when the PATH that OPTION gives is no directory. */
struct error *option_directory(const char *option, const char *path) must_check;
