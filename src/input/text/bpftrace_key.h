/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The key of a map as bpftrace prints it, whose parts have no names: stacks, numbers, texts.
 * Which of them is what: by --key (parts are "key.0", "key.1", …); else a stack is of the
 * kernel or of a process by its addresses, files or outermost functions, or because the other
 * stack is of the other side; a number is the process if that one's code is at the addresses
 * beside it, and of a process that has exited if it is in such a part of another key; the only
 * short text is the comm.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/dump.h"
#include "input/roles/roles.h"
#include "input/text/blocks.h"
#include "input/text/text_stack.h"
#include "util/arena.h"
#include "util/vec.h"

#define BPFTRACE_PARTS_MAX 64

/* A sample without process. */
struct ended_sample {
	uint64_t number; /* of the collector */
	uint64_t parts;	 /* bits: numbers of its key that no process or thread has */
};

struct bpftrace {
	struct dump *dump;
	const struct input_options *options;
	struct tool_blocks *blocks;
	struct role_overrides overrides;
	struct error *unmet; /* --key names no part of a key, the first time; NULL: it always did */
	struct text_stack stack;
	char names[BPFTRACE_PARTS_MAX][8]; /* "key.0", … */
	/* of the key, or of what printf() printed */
	struct field parts[BPFTRACE_PARTS_MAX]; /* FIELD_WORDS: a stack */
	struct {
		size_t first, n; /* in FRAMES, leaf first */
	} stacks[BPFTRACE_PARTS_MAX];
	size_t n;
	struct VEC(struct tool_frame) frames;
	bool in_stack;	     /* of printf(): the last line was a frame */
	bool too_many;	     /* parts, or frames: it cannot be used */
	struct arena memory; /* what the parts point to */
	/* of the map that is read */
	struct text map;     /* its name */
	size_t map_parts;    /* of its first key; 0: none yet */
	const char *refused; /* why its last key was that could not be used; NULL: none */
	uint64_t processes;  /* bits: parts of its keys that were the process of a stack */
	struct VEC(struct ended_sample) ended;
	/* of the source */
	struct text first,
		other;	    /* names of the first map with counts, and of the first other one */
	uint64_t differing; /* keys with other numbers of parts than the first of their map */
};

/* The error says what is wrong with --key. */
struct error *bpftrace_init(struct bpftrace *bpftrace, struct dump *dump,
	const struct input_options *options, struct tool_blocks *blocks) must_check;
void bpftrace_deinit(struct bpftrace *bpftrace);
/*
 * After the last sample, warns of keys that differ: the error for --key if no key had what it
 * names.
 */
struct error *bpftrace_end(struct bpftrace *bpftrace) must_check;

/* Entries of the map NAME follow. */
void bpftrace_map(struct bpftrace *bpftrace, struct scan name);
/*
 * Reads KEY, which must stay valid up to bpftrace_entry(). Returns false if a line in it is no
 * frame.
 */
bool bpftrace_key(struct bpftrace *bpftrace, struct scan key, bool json);
/*
 * Gives the sample of the key, if it has a stack, to the collector. Reports one that is not
 * WHOLE, or whose value is no WEIGHT (NULL). The error is the collector's.
 */
struct error *bpftrace_entry(struct bpftrace *bpftrace, bool whole, const uint64_t *weight,
	const char *position) must_check;

/* Adds LINE of printf() to its stack. Returns false if it is no frame. */
bool bpftrace_printed_line(struct bpftrace *bpftrace, struct scan line);
/* Gives the samples of the lines, each of weight 1, to the collector, whose error it returns. */
struct error *bpftrace_printed_end(struct bpftrace *bpftrace, const char *position) must_check;
