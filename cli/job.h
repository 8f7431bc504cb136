/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What resolving dumps and resolving addresses share: symbolizer, output, summary, exit status. */
#pragma once

#include "options.h"
#include "output/health.h"
#include "output/summary.h"
#include "util/log.h"

enum { EXIT_UNRESOLVED = 1, EXIT_UNREADABLE = 2, EXIT_USAGE = 64 };

struct job {
	struct options *options;
	struct log log;
	bool separates; /* a round was printed: an empty line comes before the next */
	size_t logged;	/* of its entries were printed after a round */
	struct symbolizer *symbolizer;
	struct output_options printing; /* the options' with the format, once there is output */
	struct output *output; /* NULL until the first batch: its format depends on the dump */
	struct selection *selection; /* NULL: all is printed */
	struct diff_traces *kept;    /* gets what would be printed, as SIDE; NULL: it is printed */
	enum diff_side side;
	struct summary *summary;
	struct health_report *health;
	struct spool *spool; /* gets what is printed as well; NULL: nothing does */
	bool weighted;	     /* the dump has counts */
	bool settled;	     /* a part of this round has been printed to its end */
	bool stream;	     /* of events, or of rounds */
	bool finite; /* the input has an end of its own, so that a pager may show the output */
	bool failed; /* some input could not be used; the notes say why, whatever --quiet says */
};

struct error *job_init(struct options *options, struct job *ret) must_check;
void job_deinit(struct job *job);
/*
 * Resolves and prints a batch; if a signal ends the program, what could be printed of it was. The
 * error is a failed write.
 */
struct error *job_batch(struct job *job, const struct sample *samples, size_t n) must_check;
/* Tells a person who starts the program on a terminal that it waits for WHAT on standard input. */
void job_say_waiting(const struct options *options, const char *what);
/* The same for a dump, if one of the sources is standard input. */
void job_say_waiting_for(const struct job *job);
/*
 * Prints what was held back, until it is where it cannot be lost: on disk, if it goes to a file; in
 * a pipe that somebody reads. What comes after begins anew. The error is a failed write.
 */
struct error *job_settle(struct job *job) must_check;
/*
 * Ends the output of a round, which an empty line shows where lines are not whole in themselves,
 * and begins another: what the processes were is looked up anew.
 */
struct error *job_next_round(struct job *job) must_check;
/*
 * Prints what was held back, the notes and the summary; consumes ERROR (what ended the job early,
 * NULL: nothing). Returns the exit status.
 */
int job_finish(struct job *job, struct error *error);
/*
 * Prints the notes from the FIRST on to stderr; details only with VERBOSE, losses only without
 * SUMMARY.
 */
void job_print_log(const struct log *log, size_t first, bool verbose, bool summary);
/* Prints "stack2line: MESSAGE" and gives the exit status for it; consumes ERROR. */
int job_fail(struct error *error);
