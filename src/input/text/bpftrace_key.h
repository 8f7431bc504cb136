/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assigns roles to the parts of a map key that bpftrace printed: stacks, numbers and texts without
 * names.
 *
 * --key assigns roles explicitly, to parts called "key.0", "key.1", …. Other roles are found as
 * follows.
 *
 * The side of a stack follows from its addresses, files or outermost functions. If they do not
 * determine it, it is the opposite of the other stack's side.
 *
 * A part of the keys is the process if, for some number in it, the process of that ID has code at
 * the addresses of the user stack, and no child of it may have run instead. It is not if more of
 * its different numbers are known processes without such code. This holds for all keys of the map,
 * so that the part also identifies processes that have exited, or have since run another program.
 *
 * The comm is the only text, if it is short.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/dump.h"
#include "input/roles/roles.h"
#include "input/text/blocks.h"
#include "input/text/text_stack.h"
#include "util/table.h"
#include "util/vec.h"

#define BPFTRACE_PARTS_MAX 64

/* a number of a sample that may be its process */
struct process_candidate {
	uint64_t sample; /* the sample's number in the collector */
	size_t part;
	int64_t process; /* process of the process or thread with this number; -1: none is known */
	bool misfits;	 /* it is known, and has no code at the addresses; or the number is 0 */
};

/* evidence for a part to be the process */
struct process_part {
	size_t fits, misfits; /* different numbers */
	bool refuted;	      /* a number is 0 */
};

struct bpftrace {
	struct dump *dump;
	const struct input_options *options;
	struct role_overrides overrides;
	struct error *unmet; /* first error about a part that --key names; NULL: none */
	struct text_stack stack;
	struct text key;       /* as printed, for bpftrace_key(); only in text output */
	uint64_t printed_line; /* line number of the first frame of printf(); only in text output */
	/* the current key, or stacks of printf() */
	struct field parts[BPFTRACE_PARTS_MAX]; /* FIELD_WORDS: a stack */
	struct {
		size_t first, n; /* in STACK.frames */
	} stacks[BPFTRACE_PARTS_MAX];
	size_t n;
	bool in_stack; /* the last line of printf() was a frame */
	bool too_many; /* there are too many parts or frames to use the key */
	/* the current map */
	struct text map;     /* name, escaped */
	size_t map_parts;    /* number of parts of its first key; 0: none yet */
	const char *refused; /* reason for the last refused key; NULL: none */
	struct process_part process_parts[BPFTRACE_PARTS_MAX];
	struct table numbers; /* those counted: part, number and whether it fits */
	struct VEC(struct process_candidate) candidates; /* of samples whose process is unknown */
	/* the whole source */
	struct text first, other; /* names of the first two maps with counts */
	uint64_t differing;	  /* keys whose number of parts differs from MAP_PARTS */
};

/* Initializes BPFTRACE, and prepares DUMP for samples. The error may concern --key. */
struct error *bpftrace_init(struct bpftrace *bpftrace, struct dump *dump,
	const struct input_options *options, struct tool_blocks *blocks) must_check;
void bpftrace_deinit(struct bpftrace *bpftrace);
/*
 * Ends the source: warns of keys that differ in their number of parts, and of counts of several
 * maps. Returns the error of --key if no key had a part that it names.
 */
struct error *bpftrace_end(struct bpftrace *bpftrace) must_check;

/* Begins the entries of the map NAME. */
void bpftrace_map(struct bpftrace *bpftrace, struct scan name);
/* Reads KEY. Returns false if a line in it is not a frame. */
bool bpftrace_key(struct bpftrace *bpftrace, struct scan key, bool json);
/*
 * Passes the sample of the last key to the collector, if it has a stack. Warns if the key is not
 * WHOLE, or if its value is not a count (WEIGHT is NULL). The error is the collector's.
 */
struct error *bpftrace_entry(struct bpftrace *bpftrace, bool whole, const uint64_t *weight,
	const char *position) must_check;

/*
 * Adds LINE of printf() to the current stack, or begins one. Returns false if LINE is not a frame.
 */
bool bpftrace_printed_line(struct bpftrace *bpftrace, struct scan line);
/*
 * Passes the stacks of these lines to the collector, as samples of weight 1. The error is the
 * collector's.
 */
struct error *bpftrace_printed_end(struct bpftrace *bpftrace, const char *position) must_check;
