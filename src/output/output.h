/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Printing resolved stacks. Nothing here looks anything up. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/frame.h"
#include "util/error.h"

/* X(NAME, word, help): the word of --format, and of the struct format (format.h). */
#define OUTPUT_FORMATS(X)                                                                          \
	X(FOLDED, folded, "stacks for flame graphs, default with counts")                          \
	X(ANNOTATED, annotated, "a frame a line, default without")                                 \
	X(JSON, json, "an object a line")                                                          \
	X(PORTABLE, portable, "for another machine to resolve")                                    \
	X(FLAMEGRAPH, flamegraph, "a page for browsers")                                           \
	X(SVG, svg, "a picture of it")                                                             \
	X(TOP, top, "a table, see --top")

enum output_format {
#define X(name, word, help) OUTPUT_##name,
	OUTPUT_FORMATS(X)
#undef X
};

/* All output is one picture: of all stacks, printed at the end. */
static inline bool output_is_graph(enum output_format format)
{
	return format == OUTPUT_FLAMEGRAPH || format == OUTPUT_SVG;
}

enum output_prefix {
	OUTPUT_PREFIX_COMM,
	OUTPUT_PREFIX_PID, /* comm-pid */
	OUTPUT_PREFIX_TID, /* comm-pid/tid */
	OUTPUT_PREFIX_NONE,
};

/* X(NAME, word): what the rows of a table are, the word of --by. */
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
	size_t rows; /* at most; 0: all as JSON, 20 as text */
	bool json;
	bool redraw; /* a terminal is cleared before each table */
};

struct diff;

struct output_options {
	enum output_format format;
	enum output_prefix prefix; /* folded, and graphs, whose paths are those of folded stacks */
	bool delimited;		   /* folded: "-" between user and kernel frames, where both are */
	bool annotations;	   /* folded: _[k] _[i] _[j] */
	bool mark_lost;		   /* folded: "[caller lost]" where frame pointers lost a caller */
	bool with_lines;	   /* folded: function:file:line */
	bool with_objects;	   /* folded: function [object] */
	bool merge;		   /* annotated: equal stacks are one, by weight, at the end */
	bool whole_names;	   /* of functions, not `shown` */
	bool color;		   /* annotated, top: ANSI colours */
	bool basenames;		   /* file names without directories */
	const char *const *path_strips; /* prefixes taken off file names; not owned */
	size_t n_path_strips;
	struct top_options top;
	const struct diff
		*diff;	     /* two dumps, which are all there is to print; NULL: there is one */
	const char *boot_id; /* portable, JSON: this system's; NULL: unknown; not owned */
	bool why;	     /* annotated: the full reason under each unresolved frame, and
				      output_end() prints the table of what was lost; other
				      formats have no place for it */
};

struct output;

struct summary;

/*
 * Writes to FILE, which stays the caller's, as SUMMARY does, the table that output_end() prints;
 * NULL: no table.
 */
struct output *output_create(
	const struct output_options *options, FILE *file, const struct summary *summary);
void output_destroy(struct output *output);
/* Prints or collects one trace; TRACE is only valid during the call. */
void output_trace(struct output *output, const struct trace *trace);
/*
 * Pushes out what can be printed already (folded lines are merged and wait for output_end()).
 * The error is a failed write.
 */
struct error *output_flush(struct output *output) must_check;
/* Prints what was collected; call once. The error is a failed write. */
struct error *output_end(struct output *output) must_check;
