/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which traces, and which of their frames, are printed: by what the user asks for, after everything
 * was resolved. What is left out is counted by the option that did it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"
#include "util/text.h"

/* X(NAME, word): what a pattern is compared with; from FUNCTION on, those of any frame. */
#define SELECT_KINDS(X)                                                                            \
	X(PID, pid)                                                                                \
	X(TID, tid)                                                                                \
	X(COMM, comm)                                                                              \
	X(FUNCTION, function)                                                                      \
	X(OBJECT, object)                                                                          \
	X(FILE, file)

enum select_kind {
#define X(name, word) SELECT_##name,
	SELECT_KINDS(X)
#undef X
		SELECT_KIND_COUNT,
};

/* What a rule does with what it matches. */
enum select_action {
	SELECT_ONLY,	 /* --only: left out if no rule of its kind matches */
	SELECT_WITHOUT,	 /* --without: left out if it matches */
	SELECT_ROOT,	 /* --root: stacks begin at the outermost frame that matches */
	SELECT_COLLAPSE, /* --collapse: what that frame calls is cut */
	SELECT_ACTION_COUNT,
};

struct select_rule {
	enum select_action action;
	enum select_kind kind;
	const char *pattern; /* * is any text, ? any byte */
};

enum { SELECT_RULES_MAX = 64 };

/* Nanoseconds of the dump's clock, or after the first sample that has a time. */
struct select_time {
	bool given, relative;
	uint64_t ns;
};

struct select_options {
	const struct select_rule *rules; /* not owned */
	size_t n_rules;			 /* at most SELECT_RULES_MAX */
	bool no_user, no_kernel;	 /* frames of that kind are not printed */
	bool merge_threads;		 /* traces have their process' name, and no thread */
	struct select_time from, until;	 /* samples without a time are left out if one is given */
};

struct selection;

/* NULL: OPTIONS want everything. */
struct selection *selection_create(const struct select_options *options);
void selection_destroy(struct selection *selection);
/* TRACE as it is to be printed, valid until the next call; NULL: it is left out. */
const struct trace *selection_apply(struct selection *selection, const struct trace *trace);
/* Adds "left out, by weight: 12 % by --only function"; nothing if nothing was. */
void selection_add_line(const struct selection *selection, struct text *text);
