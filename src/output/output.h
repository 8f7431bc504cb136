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
	X(FOLDED, folded, "stacks for flame graphs; default with counts")                          \
	X(ANNOTATED, annotated, "one frame per line; default without counts")                      \
	X(JSON, json, "one object per line")                                                       \
	X(PORTABLE, portable, "stacks for another machine to resolve")

enum output_format {
#define X(name, word, help) OUTPUT_##name,
	OUTPUT_FORMATS(X)
#undef X
};

enum output_prefix {
	OUTPUT_PREFIX_COMM,
	OUTPUT_PREFIX_PID, /* comm-pid */
	OUTPUT_PREFIX_TID, /* comm-pid/tid */
	OUTPUT_PREFIX_NONE,
};

struct output_options {
	enum output_format format;
	enum output_prefix prefix; /* folded */
	bool delimited;		   /* folded: "-" between user and kernel frames, where both are */
	bool annotations;	   /* folded: _[k] _[i] _[j] */
	bool mark_lost;		   /* folded: "[caller lost]" where frame pointers lost a caller */
	bool with_lines;	   /* folded: function:file:line */
	bool with_objects;	   /* folded: function [object] */
	bool color;		   /* annotated: ANSI colours */
	bool basenames;		   /* file names without directories */
	const char *const *path_strips; /* prefixes taken off file names; not owned */
	size_t n_path_strips;
	const char *boot_id; /* portable, JSON: this system's; NULL: unknown; not owned */
	bool why;	     /* annotated: the full reason under each unresolved frame, and
				      output_end() prints the table of what was lost; other
				      formats have no place for it */
};

struct output;

struct summary;

/*
 * Writes to FILE, which stays the caller's, as SUMMARY does, the table that output_end() prints; NULL: no
 * table.
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
