/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is missing from a stack, or wrong in it. The kernel collects user stacks for BPF by
 * following frame pointers; code without them breaks that chain silently.
 */
#pragma once

#include <stddef.h>

/*
 * X(NAME, key, text): key is the stable word of JSON. Kinds from TRUNCATED on are not visible in
 * frames.
 */
#define HEALTH_KINDS(X)                                                                            \
	X(LOST_CALLER, "lost-caller", "caller missing")                                            \
	X(ENDED_EARLY, "ended-early", "ended early")                                               \
	X(DOUBTFUL, "not-a-return-address", "not a return address")                                \
	X(TEXT, "text-as-address", "text as address")                                              \
	X(UNJUDGED, "cannot-tell", "cannot tell whether a caller is missing")                      \
	X(TRUNCATED, "truncated", "truncated")                                                     \
	X(COLLIDED, "collided", "hash collision")                                                  \
	X(LOST, "lost", "lost")

enum health_kind {
#define X(name, key, text) HEALTH_##name,
	HEALTH_KINDS(X)
#undef X
		HEALTH_KIND_COUNT,
};

const char *health_kind_key(enum health_kind kind);
const char *health_kind_text(enum health_kind kind);

/*
 * X(NAME, key, text): why a walk along frame pointers misses a frame's caller. key is the stable
 * word of --json.
 */
#define LOST_CALLERS(X)                                                                            \
	X(NONE, "", "")                                                                            \
	X(LEAF, "leaf", "leaf keeps no frame pointer")                                             \
	X(FUNCTION, "function", "function keeps no frame pointer")                                 \
	X(PROLOGUE, "prologue", "leaf has not set up its frame yet, or left it already")           \
	X(PLT, "plt", "a PLT stub has no frame")                                                   \
	X(SIGNAL, "signal", "frame pointers do not lead to the interrupted function")

enum lost_caller {
#define X(name, key, text) CALLER_##name,
	LOST_CALLERS(X)
#undef X
		CALLER_COUNT,
};

const char *lost_caller_key(enum lost_caller lost);
const char *lost_caller_text(enum lost_caller lost);
/* Returns the one with this key, or NONE. */
enum lost_caller lost_caller_parse(const char *key);

/* Whether a stack may end at a frame. */
enum stack_end {
	END_NOT,
	END_SIGNAL,  /* return address of a signal handler: may end */
	END_MAIN,    /* main(): may end */
	END_FIRST,   /* starts programs, threads or stacks: ends, nothing is missing */
	END_ENTRY,   /* entry point of the file, which nothing calls: ends */
	END_GARBAGE, /* not a return address: no call precedes it */
};

struct stack_health {
	unsigned int kinds; /* bits: 1 << enum health_kind */
	/*
	 * Values after the outermost frame that are no return addresses, and were removed from the
	 * trace.
	 */
	size_t cut;
};
