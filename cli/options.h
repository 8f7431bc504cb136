/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of stack2line as one struct. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "destination.h"
#include "input/input.h"
#include "option.h"
#include "output/insertion.h"
#include "output/diff/diff.h"
#include "output/output.h"
#include "select/select.h"
#include "symbolize.h"
#include "util/vec.h"

/* What the rows of option tables do. */
#define STORES_TRUE(field) OPTION_MEMBER(STORE_TRUE, struct options, field)
#define STORES_FALSE(field) OPTION_MEMBER(STORE_FALSE, struct options, field)
#define STORES_FLAG(field, table)                                                                  \
	OPTION_MEMBER(STORE_FLAG, struct options, field), .choices = (table)
#define STORES_VALUE(field, number)                                                                \
	OPTION_MEMBER(STORE_VALUE, struct options, field), .value = (number)
#define STORES_CHOICE(field, table)                                                                \
	OPTION_MEMBER(STORE_CHOICE, struct options, field), .choices = (table)
#define STORES_TEXT(field) OPTION_MEMBER(STORE_TEXT, struct options, field)
#define ADDS_TO(field) OPTION_MEMBER(ADD_TEXT, struct options, field)

struct diff_side_options {
	struct VEC(struct input_source) sources;
	const char *name;      /* of its first file, for people */
	const char *recording; /* NULL: --recording */
};

/* Of `stack2line diff`. */
struct diff_options {
	bool wanted; /* the rest is without meaning otherwise */
	bool absolute, old_widths, ignore_objects;
	struct diff_side_options sides[DIFF_SIDES];
};

/* AUTO: WEIGHT where the dump has counts. */
enum order { ORDER_AUTO, ORDER_WEIGHT, ORDER_INPUT };

struct options {
	struct input_options input;
	struct symbolize_options symbolize;
	struct output_options output;
	struct select_options select;
	struct diff_options diff;
	struct destination destination;
	bool format_given;   /* else: folded with counts, annotated without */
	bool addresses;	     /* addr2line's job: the arguments (or stdin's lines) are addresses */
	bool kernel;	     /* -k */
	const char *section; /* -j: addresses are offsets in this section of -e; NULL: not given */
	bool strict, verbose, quiet; /* not both of the last two */
	bool by_given;		     /* --by */
	bool names_given;	     /* --names, --no-demangle: */
	enum name_style names;
	enum order order; /* --order: of annotated stacks */
	int color;	  /* --color: enum color_choice of options.c */
	bool top;	  /* --top: print a table, instead of stacks */
	bool filter; /* the arguments, or standard input, are text that goes on with names in it */
	enum insertion insertion; /* with `filter`: how */
	bool filter_lists;	  /* --filter=forms */
	bool health;		  /* print what is wrong with stacks, instead of stacks */
	bool list_maps;		  /* print which maps can be read, instead of stacks */
	bool explain;		  /* print how the input is read, instead of stacks */
	bool no_debuginfod;	  /* whatever DEBUGINFOD_URLS says */
	/* What the structs above point into. */
	struct VEC(struct input_source) sources;
	struct VEC(const char *) files;	     /* -e, NULL-terminated after parsing */
	struct VEC(const char *) debug_dirs; /* --debug-dir and the default, NULL-terminated */
	struct VEC(const char *) btf_files;  /* --btf, NULL-terminated after parsing */
	struct VEC(struct path_rule) rules;  /* --substitute-path */
	struct VEC(struct select_rule) select_rules;
	struct VEC(const char *) path_strips;  /* --path-strip */
	struct VEC(const char *) filter_forms; /* --filter-form */
	char *perf_cache, *debuginfod_cache;   /* owned */
	char *cache_of_others; /* debuginfod's, which is not used for that; owned, NULL: it is not */
	struct VEC(const char *) maps; /* --map */
	const char *save_dump;	       /* --save-dump; NULL: none */
	char *debuginfod_urls;	       /* owned; NULL: nothing is fetched */
	struct {
		const char *const *data;
		size_t len;
	} arguments; /* as given, in order */
};

/* Returns true if what is printed instead of stacks is to be JSON. */
static inline bool options_want_json(const struct options *options)
{
	return options->format_given && options->output.format == OUTPUT_JSON;
}

/* Rows that all commands about dumps have. */
extern const struct option_row options_dump_rows[], options_resolve_rows[], options_print_rows[],
	options_other_rows[];

/*
 * Parses the command line of COMMAND, NULL: of the program without a subcommand; --help, --version
 * and usage errors end the program as argp does (exit status 64). RET's strings point into ARGV.
 */
void options_parse(
	const struct option_command *command, int argc, char **argv, struct options *ret);
/* Points the stages' structs at what was collected; an option_command's `finish`. */
void options_finish(void *to, char **arguments, size_t n, struct argp_state *state);
void options_deinit(struct options *options);
