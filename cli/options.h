/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of stack2line as one struct. */
#pragma once

#include <stdbool.h>

#include "input/input.h"
#include "output/output.h"
#include "symbolize.h"
#include "util/vec.h"

struct options {
	struct input_options input;
	struct symbolize_options symbolize;
	struct output_options output;
	bool format_given;   /* else: folded with counts, annotated without */
	bool addresses;	     /* addr2line's job: the arguments (or stdin's lines) are addresses */
	bool kernel;	     /* -k */
	const char *section; /* -j: addresses are offsets in this section of -e; NULL: not given */
	bool strict, verbose, quiet; /* not both of the last two */
	bool health;		     /* print what is wrong with stacks, instead of stacks */
	bool explain;		     /* print how the input is read, instead of stacks */
	bool no_debuginfod;	     /* whatever DEBUGINFOD_URLS says */
	/* What the structs above point into. */
	struct VEC(struct input_source) sources;
	struct VEC(const char *) files;	      /* -e, NULL-terminated after parsing */
	struct VEC(const char *) debug_dirs;  /* --debug-dir and the default, NULL-terminated */
	struct VEC(const char *) btf_files;   /* --btf, NULL-terminated after parsing */
	struct VEC(struct path_rule) rules;   /* --substitute-path */
	struct VEC(const char *) path_strips; /* --path-strip */
	char *perf_cache, *debuginfod_cache;  /* owned */
	char *cache_of_others; /* debuginfod's, which is not used for that; owned, NULL: it is not */
	struct VEC(const char *) maps;	    /* --map */
	const char *save_dump;		    /* --save-dump; NULL: none */
	char *debuginfod_urls;		    /* owned; NULL: nothing is fetched */
	struct VEC(const char *) arguments; /* as given, in order */
};

/*
 * Parses the command line; --help, --version and usage errors end the program as argp does (exit
 * status 64). RET's strings point into ARGV.
 */
void options_parse(int argc, char **argv, struct options *ret);
void options_deinit(struct options *options);
