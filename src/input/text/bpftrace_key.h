/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The key of a map as bpftrace prints it, whose parts have no names: stacks, numbers, texts. Which of them is
 * what: by --key (parts are "key.0", "key.1", …); else a stack is of the kernel or of a process by its
 * addresses, files or outermost functions, or because the other stack is of the other side; a number is
 * the process if that one's code is at the addresses beside it, and of a process that has exited if it is
 * in such a part of another key; the only short text is the comm.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/dump.h"
#include "input/lists/addresses.h"
#include "input/roles/roles.h"
#include "input/text/blocks.h"
#include "input/text/text_stack.h"
#include "util/arena.h"
#include "util/vec.h"

#define BPFTRACE_PARTS_MAX 64
#define BPFTRACE_INDENT 8 /* blanks before the frames of printf() */

struct key_part {
	bool is_stack;
	struct VEC(struct tool_frame) frames; /* of a stack, leaf first */
	const char *text;		      /* of what is none */
};

/* Zero-filled but for BLOCKS is empty. */
struct bpftrace_key {
	struct tool_blocks *blocks;
	struct key_part parts[BPFTRACE_PARTS_MAX];
	size_t n;
	bool too_many;	     /* parts, or frames: it cannot be used */
	struct arena memory; /* what the parts point to */
};

void bpftrace_key_deinit(struct bpftrace_key *key);
void bpftrace_key_clear(struct bpftrace_key *key);
/* Adds a part that is no stack, or an empty stack, for which bpftrace 0.17 prints nothing. */
void bpftrace_key_text(struct bpftrace_key *key, struct scan text);
/* Begins a part that is a stack. */
void bpftrace_key_stack(struct bpftrace_key *key);
/*
 * Adds a frame, whose line is LINE, to the last stack. JOINED: blanks are erased, as in JSON. False: it is no
 * frame.
 */
bool bpftrace_key_frame(struct bpftrace_key *key, struct scan line, bool joined);

/* A sample that may be of a process that has exited. */
struct ended_sample {
	uint64_t number; /* see collector_samples() */
	uint64_t parts;	 /* bits: the parts of its key that are numbers of no process or thread */
};

struct bpftrace_reading {
	struct dump *dump;
	const struct input_options *options;
	struct role_overrides overrides;
	struct text_stack stack;
	struct error *unmet; /* --key names no part of a key, the first time; NULL: it always did */
	const struct text *map; /* the name of the one that is read; NULL: none yet */
	struct text first,
		other; /* names of the first map with counts, and of the first other one */
	size_t parts;  /* of the first key of the map that is read; 0: none yet */
	uint64_t
		processes; /* bits: the parts of its keys that are processes or threads, as some key shows */
	struct VEC(struct ended_sample) ended; /* whose keys such a part is not known of yet */
	uint64_t differing;		       /* keys with other numbers of parts than that */
};

/* What is wrong with a value that is no count. */
#define BPFTRACE_NO_COUNT                                                                          \
	"its value is no count: only numbers, as count() and sum() make them, say how often a "    \
	"stack was seen"

/* Whose stack PART is; SIDE_UNKNOWN: its frames do not tell. */
enum address_side bpftrace_part_side(
	const struct bpftrace_reading *reading, const struct key_part *part);
/* The error says what is wrong with --key. */
struct error *bpftrace_reading_init(struct bpftrace_reading *reading, struct dump *dump,
	const struct input_options *options) must_check;
void bpftrace_reading_deinit(struct bpftrace_reading *reading);
/* After the last sample, warns of keys that differ: the error for --key if no key had what it names. */
struct error *bpftrace_reading_end(struct bpftrace_reading *reading) must_check;
bool bpftrace_key_has_stack(const struct bpftrace_key *key);
/*
 * Gives the sample of KEY, which has a stack, to the collector; keys of a map with other numbers of parts are not
 * certain to have those that stand there. The error is the collector's.
 */
struct error *bpftrace_entry(struct bpftrace_reading *reading, struct bpftrace_key *key,
	uint64_t weight, const char *position) must_check;
/*
 * The same for stacks of printf(), which are all of KEY: each is a sample of weight 1, but for one of a process and
 * one of the kernel that follow each other.
 */
struct error *bpftrace_printed(struct bpftrace_reading *reading, struct bpftrace_key *key,
	const char *position) must_check;
