/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a stack lacks, or has too much of. The kernel makes user stacks for BPF by following frame
 * pointers: each frame is where the one before it says that its caller's is, and code that keeps
 * none breaks that without a word.
 */
#pragma once

#include <stddef.h>

/* X(NAME, key, text): key is the stable word of JSON. From TRUNCATED on the frames do not tell. */
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
 * X(NAME, key, text): why a walk along frame pointers does not find a frame's caller. key is the
 * stable word of --json.
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
/* The one with this key; NONE: there is none. */
enum lost_caller lost_caller_parse(const char *key);

/* What a frame says about where its stack ends. */
enum stack_end {
	END_NOT,
	END_SIGNAL,  /* a signal handler returns here: a stack may end */
	END_MAIN,    /* main(): a stack may end */
	END_FIRST,   /* runtime code that starts programs, threads or stacks: no caller is missed */
	END_ENTRY,   /* the file's entry point, which nothing calls: a stack ends */
	END_GARBAGE, /* no return address, as no call ends before it */
};

struct stack_health {
	unsigned int kinds; /* bits: 1 << enum health_kind */
	/*
	 * Slots behind the outermost frame that are no return addresses. They are no locations of the
	 * trace any more.
	 */
	size_t cut;
};
