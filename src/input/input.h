/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading dumps: from files or pipes in any mix of formats to batches of samples. A source is a
 * sequence of documents (two concatenated dumps are two); each document's format is found by
 * looking at its first bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "input/boot.h"
#include "input/explanation.h"
#include "input/processes.h"
#include "model/address_halves.h"
#include "model/stack.h"
#include "util/error.h"
#include "util/log.h"
#include "util/text.h"

enum input_role {
	INPUT_ANY,	     /* found out by looking */
	INPUT_STACKS,	     /* --stacks: a stack map */
	INPUT_USER_STACKS,   /* --user-stacks */
	INPUT_KERNEL_STACKS, /* --kernel-stacks */
	INPUT_COUNTS,	     /* --counts: what is keyed by stack ID */
};

struct input_source {
	const char *path; /* "-": standard input */
	enum input_role role;
};

enum input_record_shape {
	INPUT_SHAPE_LOOK, /* by the status words */
	INPUT_SHAPE_ADDRESSES,
	INPUT_SHAPE_BUILD_IDS,
};

/* What the weights of one key on several CPUs are together. */
enum input_per_cpu {
	INPUT_PER_CPU_SUM,
	INPUT_PER_CPU_MAX,
	INPUT_PER_CPU_MIN, /* of the CPUs that have one, that is, not 0 */
};

/* What a bare address (a line with nothing else) belongs to. */
enum input_bare {
	INPUT_BARE_NOTHING, /* an error with a remedy: say -p, -e or -k */
	INPUT_BARE_USER,    /* the user stack of process `pid` */
	INPUT_BARE_KERNEL,
};

/* Maps of the running kernel; zero-filled: none. */
struct input_live {
	const char *const *maps; /* --map, see input/live/spec.h */
	size_t n_maps;
	const char *proc_root; /* "/proc", for maps by the process that holds them */
	bool waits;	       /* the sink may wait for two seconds, for a recorder */
	const char *events;    /* --events: a ring buffer or perf event array; NULL: none */
	bool clear;	       /* delete what was read */
	uint64_t interval;     /* ns between the beginnings of two rounds; 0: there is one round */
	uint64_t rounds;       /* with an interval; 0: until stopped */
	int stop_fd;	       /* readable, or at its end: no further round, no further event */
	FILE *save;	       /* what was read is written here as a dump; NULL: not; not owned */
};

struct input_options {
	const struct input_source
		*sources; /* in command-line order; regular files are read first */
	size_t n_sources;
	enum input_record_shape shape;
	enum input_per_cpu per_cpu;
	const char *key_layout;	  /* --key-layout 'u32 pid; s32 user; …', NULL: found out */
	const char *value_layout; /* --value-layout, NULL: found out */
	const char *event_layout; /* --event-layout, NULL: required by raw events */
	const char *key_fields;	  /* --key pid=tgid,user=usid,weight=value.samples; NULL: by name */
	const char *columns; /* --columns pid,kernel,user,count,comm; NULL: from a header line */
	int64_t pid;	     /* -p: the process where the dump names none; -1: none */
	enum input_bare bare;
	struct boot boot; /* for samples that say theirs: portable stacks, our own --json output */
	struct address_halves halves; /* of the machine that the dump is of */
	/* Filled instead of giving samples to the sink; NULL: not. */
	struct explanation *explain;
	const struct input_processes *processes; /* NULL: none are known */
	struct input_live live;			 /* read after the sources */
};

/*
 * Receives samples. They, their stacks and strings belong to input and are valid during the call
 * only. FLUSH is set when input would block, or has ended: print what is there. N may be 0 then.
 * An error stops the reading and comes out of input_read().
 */
struct input_sink {
	struct error *(*batch)(void *context, const struct sample *samples, size_t n, bool flush);
	void *context;
	/*
	 * Prints all that was given, to the last byte: after that it is deleted from where it was read,
	 * or was already. Only with live.clear; an error keeps what is still there.
	 */
	struct error *(*persist)(void *context);
	/* A round of live maps has ended, and there will be another. NULL: there are no rounds. */
	struct error *(*round)(void *context);
};

struct input_stats {
	bool weighted;	  /* the dump had counts: folded is the natural output */
	bool events;	  /* some of it were events, printed when they happened */
	bool ended;	  /* all was read */
	uint64_t samples; /* handed to the sink */
	uint64_t stacks;  /* distinct stacks in stack maps */
	bool live_read;	  /* live.save has all of the live maps, or what was deleted from them */
	uint64_t failed_sources; /* could not be opened or read at all; said in the log */
	bool refused; /* part of the input is of no use, as the log says, although it was not empty */
};

/*
 * The formats' own problems (odd entries, cut tails) go to LOG and reading goes on with the next
 * source. The error is for options that contradict each other (ERROR_USAGE), for input of which
 * nothing could be used (ERROR_INPUT), and for what the sink returned. RET is filled in any case;
 * ret->weighted is right from the first batch on.
 */
struct error *input_read(const struct input_options *options, struct log *log,
	struct input_sink *sink, struct input_stats *ret) must_check;

/*
 * Adds the maps of the running kernel that can be read, each with its programs, the processes below PROC_ROOT
 * that hold it, and the command line that reads it: a table with a line for each map, or a JSON object a line.
 * The error says what privilege is missing.
 */
struct error *input_list_maps(const char *proc_root, bool json, struct text *ret) must_check;
