/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds frames of stacks in text of any kind: logs, crash reports, output of other tools. The table
 * of their forms, patterns for what the kernel, libraries and tools print, is in forms.c; users may
 * add patterns.
 *
 * A form matches within one line. A name replaces or follows the match. Context before the match
 * ends with \K, and context after it is a lookahead. The groups determine the base of a frame's
 * number, see struct text_frame. A pattern is tried only in lines that have its literal.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/text/patterns.h"
#include "model/stack.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/scan.h"

/* The printer of a form, which determines how its frames are resolved. */
enum text_frame_form {
	TEXT_KERNEL,
	TEXT_GLIBC,
	TEXT_PATH, /* any PATH+0xOFFSET, and others without special treatment */
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
	const char *literal; /* a string in each line with such a frame; NULL: none */
	const char *pattern;
	enum text_frame_form form;
	const char *example; /* a line; YIELDS: what test_forms.c finds in it */
	const char *yields;
};

/* Returns the built-in forms, most preferred first, and their number in N_RET. */
const struct text_form *forms_table(size_t *n_ret);

struct forms;

/* Returns the built-in forms. The caller frees them with forms_destroy(). */
struct forms *forms_create(void);
void forms_destroy(struct forms *forms);
CLEANUP_OF(forms)
/*
 * Adds a user's PATTERN. Its matches are preferred to overlapping ones of
 * built-in forms. The error, ERROR_USAGE, begins with WHERE, and gives the byte of a syntax error.
 */
struct error *forms_add(struct forms *forms, const char *where, const char *pattern) must_check;
/* Returns true if there are users' forms. Then any line may have a frame. */
bool forms_are_extended(const struct forms *forms);
/* Returns the number of matches that were abandoned at the limits. */
uint64_t forms_given_up(const struct forms *forms);

struct form_match {
	const struct text_form *form;
	struct pattern_match match;
};

/* Begins to match in PART, a line or less, which must stay valid until the next call. */
void forms_begin(struct forms *forms, struct scan part);
/*
 * Finds the next match, at or after the end of the previous one. The earliest match wins,
 * and among those, the most preferred form. Returns false if there is none.
 */
bool forms_next(struct forms *forms, struct form_match *ret);
enum { OWNER_COMM_MAX = 15 /* bytes: TASK_COMM_LEN without its NUL */ };

struct frame_owner {
	int64_t pid, tid;	       /* -1: not given */
	char comm[OWNER_COMM_MAX + 1]; /* empty: not given */
	uint64_t time;		       /* in ns, of perf's clock; 0: not given */
};

/* Returns what MATCH says about the thread of a stack. */
struct frame_owner frame_owner_of(const struct pattern_match *match);

struct text_frame {
	enum text_frame_form form;
	struct scan text;	/* the part of the line that a name replaces or follows */
	const char *symbol;	/* function named by the text; NULL: none */
	struct stack_file file; /* what VALUE counts from; its path may be only a name, or NULL */
	uint64_t value;
	uint64_t address;	  /* address in the process or the kernel; 0: not given */
	int64_t pid;		  /* -1: not given */
	struct frame_owner owner; /* from the frame itself, or from the line above the stack */
	bool unreliable;	  /* the kernel marked the frame with `? ` */
	bool exact; /* VALUE is of an instruction, not a return address after a call */
	/* set by text_log.h */
	struct scan line;  /* without its newline */
	bool quoted;	   /* between double quotes: a replacement must be escaped as in JSON */
	bool other_kernel; /* the kernel release named last is another one */
	bool follows;	   /* on the previous frame's line, or the line after it */
};

/*
 * Reads the next frame in the part given to forms_begin(), which is within one line and has no
 * quotes and no escape sequences (see text_log.c). Skips frames that are already resolved to a
 * source line. Allocates strings in MEMORY. Returns false at the end.
 */
bool frame_text_next(struct forms *forms, struct arena *memory, struct text_frame *ret);
