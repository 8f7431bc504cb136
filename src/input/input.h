/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads dumps, from files or pipes and in any mix of formats, into batches of samples. A source is
 * a sequence of documents (two concatenated dumps are two); the format of each is recognized by its
 * first bytes.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "input/processes.h"
#include "model/stack.h"
#include "util/error.h"
#include "util/log.h"
#include "util/text.h"
#include "util/vec.h"

enum input_role {
	INPUT_ANY,	     /* decided by content */
	INPUT_STACKS,	     /* --stacks: a stack map */
	INPUT_USER_STACKS,   /* --user-stacks */
	INPUT_KERNEL_STACKS, /* --kernel-stacks */
	INPUT_COUNTS,	     /* --counts: a map keyed by stack ID */
};

struct input_source {
	const char *path; /* "-": standard input */
	enum input_role role;
};

enum input_record_shape {
	INPUT_SHAPE_LOOK, /* decided by the status words */
	INPUT_SHAPE_ADDRESSES,
	INPUT_SHAPE_BUILD_IDS,
};

/* How the weights of one key on several CPUs are combined. */
enum input_per_cpu {
	INPUT_PER_CPU_SUM,
	INPUT_PER_CPU_MAX,
	INPUT_PER_CPU_MIN, /* minimum of the weights that are not 0 */
};

/* What a bare address (a line with nothing else) belongs to. */
enum input_bare {
	INPUT_BARE_NOTHING, /* an error that recommends -p, -e or -k */
	INPUT_BARE_USER,    /* the user stack of process `pid` */
	INPUT_BARE_KERNEL,
};

/* Which maps of the running kernel to read. */
struct input_live {
	struct string_vec maps; /* arguments of --map, see input/live/live_map.h; not owned */
	const char *proc_root;	/* "/proc", to find maps by the process that holds them */
	bool waits;	    /* the sink may block for two seconds, until a recorder has written */
	const char *events; /* --events: a ring buffer or perf event array, or NULL */
	bool clear;	    /* delete entries once they are printed */
	uint64_t interval;  /* ns from the start of one round to the next; 0: a single round */
	uint64_t rounds;    /* number of rounds, if INTERVAL is set; 0: until stopped */
	int stop_fd;	    /* reading stops once this is readable or at its end */
	FILE *save;	    /* gets a dump of what was read; not owned; may be NULL */
	/*
	 * Called with WAKE_CONTEXT between rounds, when WAKE_FD is readable or a signal was caught.
	 * Rounds end if it returns false. NULL: none.
	 */
	bool (*wake)(void *context);
	void *wake_context;
	int wake_fd;
	const sigset_t *wake_mask; /* of signals, while waiting */
};

/*
 * The boot that addresses are looked up on. PIDs and kernel addresses are only valid within one
 * boot of one machine.
 */
struct boot {
	const char *id; /* boot ID of this system or the recording, not owned; NULL if unknown */
	bool assumed;	/* samples without a boot ID are of this boot too, as with a recording */
};

/*
 * Returns the boot_id of a sample (model/stack.h). SAID is the boot ID that the input gives for it,
 * or NULL.
 */
static inline const char *boot_of_sample(const struct boot *boot, const char *said)
{
	if (!said)
		return boot->assumed ? NULL : "-";
	return boot->id && !strcmp(boot->id, said) ? NULL : said;
}

/* What --explain prints: for each map its kind, the role of each field and why, and the join. */

/* The strings here and below are NUL-terminated, not escaped, and owned. */
struct explained_field {
	char *name;	/* "key.pid", or a column like "user" */
	char *role;	/* as in --key; NULL if unused */
	char *evidence; /* why it has that role, or no role */
};

/* Entries and weight of the stacks of one side, by the state of the stack. */
struct explained_side {
	uint64_t entries[STACK_STATE_COUNT], weight[STACK_STATE_COUNT];
};

/* The samples of a map. */
struct explained_join {
	uint64_t samples, weight;
	struct explained_side user, kernel;
};

struct explained_map {
	char *name;		   /* "FILE", "FILE (map 12)", "map 12 (counts)" */
	char *kind;		   /* "stack map", "counts", "table", "events", … */
	char *evidence;		   /* why it is of that kind */
	size_t entries;		   /* number of entries, stacks, rows or events */
	size_t key_len, value_len; /* in bytes; 0: unknown */
	bool used;
	char *why; /* why it is not used; NULL if it is */
	struct VEC(struct explained_field) fields;
	struct VEC(char *) choices; /* options to choose from, if it was refused as ambiguous */
	bool joined;		    /* JOIN is set */
	struct explained_join join;
};

struct explanation {
	struct VEC(struct explained_map) maps; /* in the order in which they were read or joined */
	uint64_t samples, weight; /* of stacks in the input itself, as in address lists */
};

void explanation_deinit(struct explanation *explanation);

struct input_options {
	const struct input_source
		*sources; /* in command-line order; regular files are read first */
	size_t n_sources;
	enum input_record_shape shape;
	enum input_per_cpu per_cpu;
	const char *key_layout; /* --key-layout 'u32 pid; s32 user; …'; NULL: decided by content */
	const char *value_layout; /* --value-layout; NULL: decided by content */
	const char *event_layout; /* --event-layout, which raw events require; may be NULL */
	const char *key_fields;	  /* --key pid=tgid,user=usid,weight=value.samples; NULL: by name */
	const char *columns;	  /* --columns pid,kernel,user,count,comm; NULL: from the header */
	int64_t pid;		  /* -p: process of samples for which the dump has none; -1: none */
	enum input_bare bare;
	struct boot boot; /* for input with boot IDs: portable stacks, our own --json output */
	struct address_halves halves; /* halves of the machine that was dumped */
	/* if not NULL, filled instead of passing samples to the sink */
	struct explanation *explain;
	const struct input_processes *processes; /* NULL if none are known */
	struct input_live live;			 /* read after the sources */
};

/*
 * Receives samples. The samples, their stacks and strings belong to input and are valid during the
 * call only. FLUSH is true before input blocks and at the end: the sink should print what it has. N
 * may be 0 then. An error ends input_read(), which returns it.
 */
struct input_sink {
	struct error *(*batch)(void *context, const struct sample *samples, size_t n, bool flush);
	void *context;
	/*
	 * Writes all samples so far completely, since their entries are deleted next, or have been.
	 * On error nothing more is deleted. Called with live.clear only.
	 */
	struct error *(*persist)(void *context);
	/* Called between two rounds of live maps. May be NULL. */
	struct error *(*round)(void *context);
};

struct input_stats {
	bool weighted;		 /* the input has counts, so folded is the default output */
	bool events;		 /* part of the input is events, printed as they happen */
	bool ended;		 /* everything was read */
	uint64_t samples;	 /* passed to the sink */
	uint64_t stacks;	 /* distinct stacks in stack maps */
	bool live_read;		 /* live.save has the whole live maps, or all that was deleted */
	uint64_t failed_sources; /* not openable or readable at all, as logged */
	bool refused;		 /* part of the input was unusable, or a source empty, as logged */
};

/*
 * Reads all sources, then the live maps. Malformed input (odd entries, truncated dumps) is logged,
 * and reading continues. Returns ERROR_USAGE if options contradict each other, ERROR_INPUT if none
 * of the input is usable, or the sink's error. RET is always filled; ret->weighted is valid from
 * the first batch on.
 */
struct error *input_read(const struct input_options *options, struct log *log,
	struct input_sink *sink, struct input_stats *ret) must_check;

/*
 * Adds a list of the running kernel's maps to RET, each with its programs, the processes below
 * PROC_ROOT that hold it, and the command line that reads it: as a table, without maps that have
 * neither stacks nor stack IDs, or as one JSON object per line. The error names the missing
 * privilege.
 */
struct error *input_list_maps(const char *proc_root, bool json, struct text *ret) must_check;
