/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forms of frames in text: patterns for what the kernel, libraries and tools print. The table
 * is in forms.c; users add patterns of their own.
 *
 * A form matches in one line. The match is what a name replaces or follows; context before it
 * ends with \K, context after it is a lookahead. What the number of a frame counts from follows
 * from the groups, see struct text_frame. A pattern is tried only in lines that have its
 * literal.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/text/patterns.h"
#include "util/error.h"
#include "util/scan.h"

/* Who prints a form: that decides what else is known of its frames. */
enum text_frame_form {
	TEXT_KERNEL,
	TEXT_GLIBC,
	TEXT_PATH, /* and others of which no more is known */
	TEXT_JAVA,
	TEXT_SANITIZER,
	TEXT_SYSTEMD,
	TEXT_VALGRIND,
	TEXT_GDB,
	TEXT_EU_STACK,
	TEXT_PERF,
	TEXT_BUILD_ID,
	TEXT_ALONE,
	TEXT_FAULT,
	TEXT_OWN, /* a user's form */
};

struct text_form {
	const char *name;
	const char *literal; /* each line with such a frame has it; NULL: nothing is known */
	const char *pattern;
	enum text_frame_form form;
	const char *example; /* a line, and what frame_text_next() finds in it (test_forms.c) */
	const char *yields;
};

/* The built-in table, in the order in which forms are preferred. */
const struct text_form *forms_table(size_t *n_ret);

struct forms;

/* The built-in forms; owned by the caller. */
struct forms *forms_create(void);
void forms_destroy(struct forms *forms);
static inline void forms_cleanup(struct forms **forms)
{
	forms_destroy(*forms);
}
/*
 * Adds a user's PATTERN, whose matches are preferred to those of built-in forms that they
 * overlap. The error, of usage, begins with WHERE and has the byte of the pattern.
 */
struct error *forms_add(struct forms *forms, const char *where, const char *pattern) must_check;
/* Returns true if there are users' forms: then each line may have a frame. */
bool forms_are_extended(const struct forms *forms);
/* The number of matches that were given up at the limits. */
uint64_t forms_given_up(const struct forms *forms);

struct form_match {
	const struct text_form *form;
	struct pattern_match match;
};

/* Starts with PART, a line or less, which must stay valid until the next one. */
void forms_begin(struct forms *forms, struct scan part);
/*
 * The next match after the one before: that which begins first, among equals that of the first
 * form.
 */
bool forms_next(struct forms *forms, struct form_match *ret);
/* Returns true if what follows END, in the part, is the source line of a frame. */
bool forms_has_line(struct forms *forms, const char *end);
