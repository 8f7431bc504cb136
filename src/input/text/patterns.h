/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches text with PCRE2 patterns, under limits of steps and memory. Patterns match bytes, and
 * only named groups capture.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"
#include "util/scan.h"

#define PATTERN_GROUPS_X(X)                                                                        \
	X(ADDRESS, "address") /* hex, in the process or kernel */                                  \
	X(SYMBOL, "symbol")                                                                        \
	X(OFFSET, "offset")	      /* hex, bytes from the start of the symbol */                \
	X(SIZE, "size")		      /* hex, bytes of the symbol, or of the mapping at `start` */ \
	X(OBJECT, "object")	      /* path or name */                                           \
	X(LOAD_OFFSET, "load_offset") /* hex, bytes from the load address */                       \
	X(FILE_OFFSET, "file_offset") /* hex, bytes from the start of the file */                  \
	X(START, "start")	      /* hex, address of the code mapping */                       \
	X(BUILD_ID, "build_id")                                                                    \
	X(MODULE, "module") /* kernel module */                                                    \
	X(PID, "pid")                                                                              \
	X(EXACT, "exact")	    /* set: an instruction's address, not a return address */      \
	X(SURE, "sure")		    /* set: load_offset is an ELF address */                       \
	X(UNRELIABLE, "unreliable") /* set: the kernel marked the frame with `? ` */               \
	X(COMM, "comm")		    /* of the thread */                                            \
	X(TID, "tid")                                                                              \
	X(TIME, "time") /* seconds with a fraction, of perf's clock */                             \
	/* only in blocks (blocks.h) */                                                            \
	X(WEIGHT, "weight")                                                                        \
	X(EVENT, "event")                                                                          \
	X(DECIMAL, "decimal") /* decimal, bytes from the start of the symbol */                    \
	X(FILE, "file")	      /* source file */                                                    \
	X(LINE, "line")                                                                            \
	X(INLINED, "inlined")	  /* set: the frame is inlined */                                  \
	X(IN_KERNEL, "in_kernel") /* set: the function is where the kernel is entered */           \
	X(IN_USER, "in_user")	  /* set: the function is the outermost one of programs */         \
	X(REST, "rest")		  /* rest of the line */

enum pattern_group {
#define X(id, name) GROUP_##id,
	PATTERN_GROUPS_X(X)
#undef X
		PATTERN_GROUPS,
	PATTERN_FRAME_GROUPS = GROUP_WEIGHT, /* number of groups for users' forms (forms.h) */
};

struct pattern_match {
	struct scan all;
	struct scan groups[PATTERN_GROUPS]; /* `at` is NULL: not set */
};

static inline bool match_has(const struct pattern_match *match, enum pattern_group group)
{
	return match->groups[group].at;
}

/* Reads the hex number in GROUP. Returns false, and sets RET to 0, if the group is not set. */
static inline bool match_hex(
	const struct pattern_match *match, enum pattern_group group, uint64_t *ret)
{
	struct scan s = match->groups[group];

	*ret = 0;
	return s.at && scan_hex(&s, ret);
}

/* Returns the decimal number in GROUP, of at most nine digits. -1 if it is not set, or is `-1`. */
static inline int64_t match_decimal(const struct pattern_match *match, enum pattern_group group)
{
	struct scan s = match->groups[group];
	uint64_t number;

	return s.at && scan_decimal(&s, &number) ? (int64_t)number : -1;
}

/* Returns why no pattern can match in this build, or NULL. */
const char *patterns_missing(void);

/* Memory and limits for matching. */
struct matcher;
struct matcher *matcher_create(void);
void matcher_destroy(struct matcher *matcher);
/* Returns the number of matches that were abandoned at the limits. */
uint64_t matcher_given_up(const struct matcher *matcher);

/* A pattern, compiled on first use. */
struct pattern {
	const char *text;
	struct pcre2_real_code_8 *code;
	uint32_t groups[PATTERN_GROUPS]; /* numbers of the groups in the pattern; 0: not in it */
};

/*
 * Compiles a pattern of the user. The error, ERROR_USAGE, begins with WHERE. It gives the byte of a
 * syntax error, or the name of an unknown group.
 */
struct error *pattern_compile(
	struct matcher *matcher, const char *where, struct pattern *pattern) must_check;
void pattern_deinit(struct pattern *pattern);
/* Finds the first match in TEXT that begins at AT or later. Returns false if there is none. */
bool pattern_find(struct matcher *matcher, struct pattern *pattern, struct scan text,
	const char *at, struct pattern_match *ret);
