/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the traces, and the frames of each, that are printed. Works on resolved traces, by the
 * options of the user, and counts the weight that each option leaves out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"
#include "util/text.h"
#include "util/vec.h"

/* X(NAME, word): what a pattern is compared with. From FUNCTION on, any frame may match. */
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

/* What a rule does with what its pattern matches. */
enum select_action {
	SELECT_ONLY,	 /* --only: leave out traces that no rule of this kind matches */
	SELECT_WITHOUT,	 /* --without: leave out traces that match */
	SELECT_ROOT,	 /* --root: make the outermost matching frame the root of the stack */
	SELECT_COLLAPSE, /* --collapse: cut what the outermost matching frame calls */
	SELECT_ACTION_COUNT,
};

struct select_rule {
	enum select_action action;
	enum select_kind kind;
	const char *pattern; /* '*' matches any text, '?' any byte */
};

enum { SELECT_RULES_MAX = 64 };
struct select_rules VEC(struct select_rule);

/* Sample time in ns of the dump's clock; if RELATIVE, since the first sample with a time. */
struct select_time {
	bool given, relative;
	uint64_t ns;
};

struct select_options {
	struct select_rules rules; /* at most SELECT_RULES_MAX; not owned */
	bool no_user, no_kernel;   /* leave out frames of that kind */
	/* give samples the name of their process, and no thread ID */
	bool merge_threads;
	/* range [from, until); if either is given, samples without a time are left out */
	struct select_time from, until;
};

struct selection;

/* Returns NULL if OPTIONS select everything. */
struct selection *selection_create(const struct select_options *options);
void selection_destroy(struct selection *selection);
/* Returns TRACE as it is to be printed, NULL if it is left out. Valid until the next call. */
const struct trace *selection_apply(struct selection *selection, const struct trace *trace);
/*
 * Adds "left out: weight 12 (3.4 %) by --only function" and so on, or nothing if nothing was left
 * out.
 */
void selection_add_line(const struct selection *selection, struct text *text);
