/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Downloads from debuginfod servers: many at a time, without waiting for any until its file is
 * needed, and never for longer than the user allowed. Only what is asked for by fetcher_start() is
 * ever sent, and only to the servers that the user named.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build_id.h"
#include "object/fetch/fetch.h"
#include "util/log.h"

/* What a progress line can say; all strings are raw and valid only during the call. */
struct fetch_progress {
	const char *name; /* what is being downloaded, one of N_RUNNING */
	const char *url;  /* from where; NULL: no server has answered yet */
	int64_t bytes,
		total; /* of all that are under way and have been answered; total -1: unknown */
	size_t n_running, n_waiting;
};

struct fetch_options {
	const char *urls;  /* separated by blanks; NULL or none: nothing is fetched */
	const char *cache; /* the directory of debuginfod's clients; NULL: nothing is fetched */
	unsigned timeout;  /* seconds a server may take for a file */
	unsigned budget;   /* seconds that all downloads of the run may take together */
	uint64_t max;	   /* bytes of a file that is fetched as a whole */
	/* Called a few times a second while something is under way, and with NULL when that ends. */
	void (*progress)(void *context, const struct fetch_progress *progress);
	void *context;
};

struct fetcher;

/* NULL if there are no servers. OPTIONS must outlive the result. */
struct fetcher *fetcher_create(const struct fetch_options *options);
/* Abandons what is under way. */
void fetcher_destroy(struct fetcher *fetcher);

/*
 * Asks for a file, or gives what was asked for before: the same is never asked twice. LABEL names
 * it for people. NAME is that of a section or source, else NULL. FETCHER may be NULL. NULL: not
 * asked for, since ID has not the 8 bytes that make it unique.
 */
struct fetch *fetcher_start(struct fetcher *fetcher, enum debuginfod_kind kind,
	const struct build_id *id, const char *name, const char *label);
/* Handles what has come in the meantime, without waiting. FETCHER may be NULL. */
void fetcher_poll(struct fetcher *fetcher);
/* The same, but waits a moment for something to come. */
void fetcher_sleep(struct fetcher *fetcher);
/* Waits until FETCH is done. */
void fetcher_wait(struct fetcher *fetcher, const struct fetch *fetch);

/*
 * Whether so many files were asked for that fetcher_forget() should be called, between batches: it
 * forgets what is done and not held. If that is asked for again, servers are asked again.
 * FETCHER may be NULL.
 */
bool fetcher_is_full(const struct fetcher *fetcher);
void fetcher_forget(struct fetcher *fetcher);

/* Tells LOG what went wrong and what would help, and as details what was and was not found. */
void fetcher_notes(const struct fetcher *fetcher, struct log *log);
