/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints resolved stacks. Nothing here looks anything up. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/frame.h"
#include "util/error.h"
#include "util/vec.h"

/*
 * X(NAME, word, help): WORD is that of --format and of the struct format, WORD_format (format.h).
 */
#define OUTPUT_FORMATS(X)                                                                          \
	X(FOLDED, folded, "stacks for flame graphs, default with counts")                          \
	X(ANNOTATED, annotated, "a frame a line, default without")                                 \
	X(JSON, json, "an object a line")                                                          \
	X(PORTABLE, portable, "for another machine to resolve")                                    \
	X(FLAMEGRAPH, flamegraph, "a page for browsers")                                           \
	X(SVG, svg, "a picture of it")                                                             \
	X(SPEEDSCOPE, speedscope, "for speedscope.app")                                            \
	X(TOP, top, "a table, see --top")

enum output_format {
#define X(name, word, help) OUTPUT_##name,
	OUTPUT_FORMATS(X)
#undef X
};

/* Returns true if all stacks become one document, which is printed at the end. */
static inline bool output_is_graph(enum output_format format)
{
	return format == OUTPUT_FLAMEGRAPH || format == OUTPUT_SVG || format == OUTPUT_SPEEDSCOPE;
}

enum output_prefix {
	OUTPUT_PREFIX_COMM,
	OUTPUT_PREFIX_PID, /* comm-pid */
	OUTPUT_PREFIX_TID, /* comm-pid/tid */
	OUTPUT_PREFIX_NONE,
};

/* X(NAME, word): what the rows of a table are. WORD is the argument of --by. */
#define TOP_BYS(X)                                                                                 \
	X(FUNCTION, function)                                                                      \
	X(LINE, line)                                                                              \
	X(OBJECT, object)                                                                          \
	X(PROCESS, process)                                                                        \
	X(COMM, comm)                                                                              \
	X(STACK, stack)

enum top_by {
#define X(name, word) TOP_BY_##name,
	TOP_BYS(X)
#undef X
};

struct top_options {
	enum top_by by;
	size_t rows; /* maximum; 0: all as JSON, 20 as text */
	bool json;
};

struct diff;

/* What a graph says of its origin. NULL: unknown. Not owned. */
struct output_title {
	char *command, *host, *date;
};

struct output_options {
	enum output_format format;
	enum output_prefix prefix; /* folded, and graphs, which have the same paths */
	bool delimited;		   /* folded: "-" between user and kernel frames */
	bool annotations;	   /* folded: suffixes _[k] _[i] _[j] */
	bool mark_lost;		   /* folded: "[caller lost]" where frame pointers skip a caller */
	bool with_lines;	   /* folded: function:file:line */
	bool with_objects;	   /* folded: function [object] */
	bool merge;		   /* annotated: print equal stacks once, by weight, at the end */
	bool whole_names;	   /* print `function`, not `shown` */
	bool color;		   /* annotated, top: ANSI colours */
	bool basenames;		   /* print file names without directories */
	struct string_vec path_strips; /* prefixes to remove from file names; not owned */
	struct top_options top;
	struct output_title title;
	const struct diff *diff; /* the two dumps to compare; NULL: none */
	const char *boot_id;	 /* portable, JSON: of this system; NULL: unknown; not owned */
	/*
	 * annotated: print the full reason under each unresolved frame, and let output_end() print
	 * the table of losses; other formats ignore this
	 */
	bool why;
};

struct output;

struct summary;

/*
 * Creates an output that writes to FILE, which the caller owns. With options->why, output_end()
 * prints the table of SUMMARY; NULL for no table. FILE and SUMMARY must outlive the output.
 */
struct output *output_create(
	const struct output_options *options, FILE *file, const struct summary *summary);
void output_destroy(struct output *output);
/* Prints or collects TRACE, which must be valid only during the call. */
void output_trace(struct output *output, const struct trace *trace);
/*
 * Writes what can be printed already. Folded lines wait for output_end(), since they are merged.
 * Returns an error if a write failed.
 */
struct error *output_flush(struct output *output) must_check;
/*
 * Prints what was collected. Returns an error if a write failed. Call once; after a failed write,
 * further calls only return the error again.
 */
struct error *output_end(struct output *output) must_check;
