/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by commands that resolve dumps and addresses: symbolizer, output, summary, status. */
#pragma once

#include <stdbool.h>

#include "options.h"
#include "output/health.h"
#include "output/summary.h"
#include "screen.h"
#include "util/log.h"

enum { EXIT_UNRESOLVED = 1, EXIT_UNREADABLE = 2, EXIT_USAGE = 64 };

struct job {
	const struct options *options;
	struct input_options input; /* those of OPTIONS, and what the symbolizer knows */
	struct log log;
	bool separates; /* a round was printed, and an empty line separates it from the next */
	size_t logged;	/* number of LOG's entries that were printed after rounds */
	struct symbolizer *symbolizer;
	struct output_options printing; /* output options with the format that was chosen */
	struct output *output; /* NULL before the first batch: its format depends on the dump */
	struct selection *selection; /* NULL: everything is printed */
	struct diff_traces
		*kept; /* gets the traces, of SIDE, instead of OUTPUT; NULL: not a diff */
	enum diff_side side;
	struct summary *summary;
	struct health_report *health;
	char *system;	       /* ID in os-release(5); owned */
	struct spool *spool;   /* also gets all traces; NULL: none */
	struct screen *screen; /* shows each round, instead of stdout; NULL: none */
	struct {
		FILE *file; /* NULL: none now */
		char *data;
		size_t size;
	} page;		/* what SCREEN is to show */
	FILE *messages; /* not owned */
	/* of the input; if sources failed, the log says why, and is printed despite --quiet */
	struct input_stats stats;
	bool weighted; /* the dump has counts */
	bool settled;  /* part of this round was settled by job_settle() */
	bool stream;   /* the input is events or rounds */
	bool finite;   /* the input ends by itself, so that a pager may show the output */
};

/* Also prints that the program waits for a dump, if it reads one from a terminal. */
struct error *job_init(const struct options *options, struct job *ret) must_check;
void job_deinit(struct job *job);
/*
 * Resolves, prints and flushes a batch: a signal may end the program in the next one. Returns an
 * error if a write fails.
 */
struct error *job_batch(struct job *job, const struct sample *samples, size_t n) must_check;
/* Prints that the program waits for WHAT on standard input, if that is a terminal. */
void job_say_waiting(const struct options *options, const char *what);
/*
 * Ends the output so far and makes sure that it is not lost: a file is synced, a pipe must have a
 * reader. Later output begins anew. Returns an error if a write fails.
 */
struct error *job_settle(struct job *job) must_check;
/*
 * Ends the output of a round and begins the next, which looks processes up again. An empty line
 * separates rounds, except in formats whose lines are self-contained.
 */
struct error *job_next_round(struct job *job) must_check;
/*
 * Prints pending output, the log and the summary. Consumes ERROR, which ended the job early (NULL:
 * none). Returns the exit status.
 */
int job_finish(struct job *job, struct error *error);
/*
 * Prints the entries of LOG from index FIRST on to FILE, except those of HIDDEN levels (bits: 1 <<
 * enum log_level).
 */
void job_print_log(FILE *file, const struct log *log, size_t first, unsigned int hidden);
/* Writes LEN bytes of DATA to standard output, and flushes it. */
struct error *job_write(const char *data, size_t len) must_check;
/* Prints "stack2line: MESSAGE", consumes ERROR and returns the exit status for it. */
int job_fail(struct error *error);

/*
 * Ends streams by signals. The first SIGINT or SIGTERM ends the input; what was read is resolved
 * and printed. After SIGTERM, or a second SIGINT, resolving is cut short, so that the program ends
 * after a second of CPU time, five seconds at most.
 */

/* Begins to catch signals. After the first one standard input is at its end. */
void ending_catch(void);
/*
 * Notes that resolving of addresses begins or ends. If it goes on although stop_asked(), the
 * program ends, so all output must have been flushed.
 */
void ending_resolves(bool resolves);
/* Returns STATUS; after SIGTERM, or SIGINT if something was left out, ends by that signal. */
int ending_status(int status);
