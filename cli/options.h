/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of stack2line as one struct. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/input.h"
#include "option.h"
#include "output/insertion.h"
#include "output/diff/diff.h"
#include "output/output.h"
#include "select/select.h"
#include "symbolize.h"
#include "util/vec.h"

/* Actions of option rows. */
#define STORES_TRUE(field) OPTION_MEMBER(STORE_TRUE, struct options, field)
#define STORES_FALSE(field) OPTION_MEMBER(STORE_FALSE, struct options, field)
#define STORES_VALUE(field, number)                                                                \
	OPTION_MEMBER(STORE_VALUE, struct options, field), .value = (number)
#define STORES_CHOICE(field, table)                                                                \
	OPTION_MEMBER(STORE_CHOICE, struct options, field), .choices = (table)
#define STORES_PID(field, min) OPTION_MEMBER(STORE_PID, struct options, field), .value = (min)
#define STORES_SIZE(field, min) OPTION_MEMBER(STORE_SIZE, struct options, field), .value = (min)
#define STORES_TEXT(field) OPTION_MEMBER(STORE_TEXT, struct options, field)
#define ADDS_TO(field) OPTION_MEMBER(ADD_TEXT, struct options, field)

struct diff_side_options {
	struct VEC(struct input_source) sources;
	const char *name;      /* first file, for messages */
	const char *recording; /* NULL: --recording */
};

/* Options of `stack2line diff`. */
struct diff_options {
	bool wanted;		  /* the command is diff; else the rest is unused */
	int absolute, old_widths; /* 0 or 1 */
	bool ignore_objects;
	struct diff_side_options sides[DIFF_SIDES];
};

/* The value of an option that is not given, and whose default depends on others. */
enum { NOT_GIVEN = -1 };

/* --filter=forms: list the forms of frames instead. */
enum { FILTER_LISTS = -1 };

/* AUTO: by weight if the dump has counts. */
enum order { ORDER_AUTO, ORDER_WEIGHT, ORDER_INPUT };

struct options {
	struct input_options input;
	struct symbolize_options symbolize;
	struct output_options output;
	struct select_options select;
	struct diff_options diff;
	const char *output_path; /* -o; NULL: standard output */
	bool no_pager;
	bool format_given;   /* else folded if the dump has counts, annotated if not */
	bool addresses;	     /* resolve addresses: arguments or lines of standard input */
	bool kernel;	     /* -k */
	const char *section; /* -j: addresses are offsets in this section of -e; NULL: not given */
	bool strict, verbose, quiet; /* at most one of VERBOSE and QUIET */
	int by;			     /* --by: enum top_by; NOT_GIVEN: not given */
	int names;	    /* --names, --no-demangle: enum name_style; NOT_GIVEN: by the format */
	enum order order;   /* --order, for annotated stacks */
	int color;	    /* --color: enum color_choice of options.c */
	bool top;	    /* --top: print a table instead of stacks */
	bool filter;	    /* copy text from the arguments or standard input and name its frames */
	int insertion;	    /* how FILTER inserts names: enum insertion, or FILTER_LISTS */
	bool health;	    /* print what is wrong with stacks instead of stacks */
	bool list_maps;	    /* print the maps that can be read instead of stacks */
	bool explain;	    /* print how the input is read instead of stacks */
	bool no_debuginfod; /* even if DEBUGINFOD_URLS is set */
	/* Data that the structs above point to. */
	struct VEC(struct input_source) sources;
	struct VEC(const char *) filter_forms; /* --filter-form */
	/* debuginfod's cache, unused because it is another user's; NULL: none */
	const char *cache_of_others;
	const char *save_dump; /* --save-dump; NULL: none */
	struct {
		const char *const *data;
		size_t len;
	} arguments; /* as given, in order */
};

/* Returns true if output that replaces stacks is to be JSON. */
static inline bool options_want_json(const struct options *options)
{
	return options->format_given && options->output.format == OUTPUT_JSON;
}

/* Rows shared by the commands that read dumps. */
extern const struct option_row options_dump_rows[], options_resolve_rows[], options_print_rows[],
	options_other_rows[];

/*
 * Parses the command line of COMMAND; NULL: the program without subcommand. Ends the program for
 * --help, --version and usage errors (exit status 64), as argp does. RET's strings point into ARGV.
 */
void options_parse(
	const struct option_command *command, int argc, char **argv, struct options *ret);
/* Points the structs of the stages to the collected values. An option_command's `finish`. */
const char *options_finish(void *to, char **arguments, size_t n);

extern const struct option_row finding_rows[];

/* Points options->symbolize.find to the collected values and to this user's caches. */
void finding_finish(struct options *options);

/*
 * Warns of directories in options that do not exist. The run continues: a --debug-dir may exist in
 * the root of a process, and much works without the others.
 */
void finding_check(const struct options *options, struct log *log);

extern const struct option_row live_rows[];

/* Returns true if the options name a map of the running kernel. */
bool live_wanted(const struct options *options);
/* Points options->input.live to the collected values. Returns what is wrong, NULL if nothing is. */
const char *live_finish(struct options *options);

extern const struct option_row selecting_rows[];

/* Completes options->select. Returns what is wrong, NULL if nothing is. */
const char *selecting_finish(struct options *options);

/* The commands of the program. Each returns its exit status. */

/* Resolves the stacks of dumps. */
int command_dumps(const struct options *options);
/* Resolves addresses from the arguments, or from standard input. */
int command_addresses(const struct options *options);
/* Lists the maps of the running kernel that can be read. */
int command_list_maps(const struct options *options);
/* Copies text to standard output and names the frames of stacks in it. */
int command_filter(const struct options *options);
/* Acts as binutils addr2line, with its options and output. */
int command_addr2line(int argc, char **argv);
/*
 * Returns true if the subcommand is `record`. Options that it shares may precede the word, which
 * then becomes ARGV[1].
 */
bool command_is_record(int argc, char **argv);
/* Records processes. ARGV begins with "record". FILES: soft limit of open files for COMMAND. */
int command_record(int argc, char **argv, uint64_t files);
/* Prints what objects offer for resolving and unwinding. ARGV begins with "inspect". */
int command_inspect(int argc, char **argv);
/* Compares two dumps. */
extern const struct option_command diff_command;
int command_diff(const struct options *options);
