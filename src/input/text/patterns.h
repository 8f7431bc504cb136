/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns of text (PCRE2: bytes, only named groups capture), matched under limits of steps and
 * memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/scan.h"

#define PATTERN_GROUPS_X(X)                                                                        \
	X(ADDRESS, "address") /* hex, of the process or the kernel */                              \
	X(SYMBOL, "symbol")                                                                        \
	X(OFFSET, "offset")	      /* hex, bytes from the start of the symbol */                \
	X(SIZE, "size")		      /* hex, of the symbol, or of the mapping at `start` */       \
	X(OBJECT, "object")	      /* path or name */                                           \
	X(LOAD_OFFSET, "load_offset") /* hex, bytes from where the object is loaded */             \
	X(FILE_OFFSET, "file_offset") /* hex, bytes from the start of the file */                  \
	X(START, "start")	      /* hex, address of the mapping that has the code */          \
	X(BUILD_ID, "build_id")                                                                    \
	X(MODULE, "module") /* of the kernel */                                                    \
	X(PID, "pid")                                                                              \
	X(EXACT, "exact")	    /* takes part: the instruction's address, no return address */ \
	X(SURE, "sure")		    /* takes part: load_offset is an ELF address */                \
	X(UNRELIABLE, "unreliable") /* takes part: the kernel doubts the frame */                  \
	X(COMM, "comm")		    /* of the thread */                                            \
	X(TID, "tid")                                                                              \
	X(TIME, "time") /* seconds with a fraction, as perf's clock has them */                    \
	/* of blocks (blocks.h) only */                                                            \
	X(WEIGHT, "weight")                                                                        \
	X(EVENT, "event")                                                                          \
	X(DECIMAL, "decimal") /* offset, in decimal digits */                                      \
	X(FILE, "file")	      /* of the source, with `line` */                                     \
	X(LINE, "line")                                                                            \
	X(INLINED, "inlined") /* takes part: the frame is */                                       \
	X(REST, "rest")	      /* of the line */

enum pattern_group {
#define X(id, name) GROUP_##id,
	PATTERN_GROUPS_X(X)
#undef X
		PATTERN_GROUPS,
	PATTERN_FRAME_GROUPS = GROUP_WEIGHT, /* the first ones are those of a frame in a line */
};

struct pattern_match {
	struct scan all;
	struct scan groups[PATTERN_GROUPS]; /* `at` is NULL: takes no part */
};

static inline bool match_has(const struct pattern_match *match, enum pattern_group group)
{
	return match->groups[group].at;
}

/* Reads the hex number in GROUP. Returns false, and sets RET to 0, if the group takes no part. */
bool match_hex(const struct pattern_match *match, enum pattern_group group, uint64_t *ret);
/* The decimal number in GROUP, of nine digits at most; -1: it takes no part, or is `-1`. */
int64_t match_decimal(const struct pattern_match *match, enum pattern_group group);

/* What matches, under which limits. */
struct matcher;
struct matcher *matcher_create(void);
void matcher_destroy(struct matcher *matcher);
/* The number of matches that were given up at the limits. */
uint64_t matcher_given_up(const struct matcher *matcher);

/* A pattern, which is compiled when it is first used. */
struct pattern {
	const char *text;
	struct pcre2_real_code_8 *code;
	uint32_t groups[PATTERN_GROUPS]; /* their numbers; 0: the pattern has none of that name */
};

/*
 * Compiles a pattern that may be wrong. The error, of usage, begins with WHERE and has the byte
 * of the pattern, or a group that no frame has.
 */
struct error *pattern_compile(
	struct matcher *matcher, const char *where, struct pattern *pattern) must_check;
void pattern_deinit(struct pattern *pattern);
/* Finds the first match in TEXT that does not begin before AT. */
bool pattern_find(struct matcher *matcher, struct pattern *pattern, struct scan text,
	const char *at, struct pattern_match *ret);
