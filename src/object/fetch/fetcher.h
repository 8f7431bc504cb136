/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Downloads files from debuginfod servers, several at a time, without waiting until a file is
 * needed, and no longer than the user permits. It sends only the requests of fetcher_start(), and
 * only to the servers that the user named.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build_id.h"
#include "object/fetch/debuginfod.h"
#include "util/log.h"
#include "util/text.h"

/* The download of one file from debuginfod servers, and its outcome. */

/* Only the fetcher changes the fields, except `sections`. */
struct fetch {
	enum debuginfod_kind kind;
	struct build_id id;
	char *name, *label; /* name "": none */
	bool done;	    /* finished, successfully or not */
	size_t next;	    /* index of the next server to ask */
	size_t running;	    /* number of servers being asked */
	int64_t asked_ms;   /* when the last server was asked, ms of CLOCK_MONOTONIC */
	bool hard;	    /* a server failed, beyond not having the file */
	char *path;	    /* in the cache, with the right build ID; NULL: no file */
	uint64_t too_large; /* size of the file that exceeded the limit, in bytes; 0: none did */
	uint64_t sections;  /* bytes of its sections that were downloaded instead; 0: none */
	struct text outcome;
	const char *fix; /* what would help; NULL: nothing */
	bool told;	 /* the summary of lost frames reports the outcome */
};

/* Returns what the servers answered: "URL: not found; URL: no answer in 30 s"; "" if not done. */
const char *fetch_outcome(const struct fetch *fetch);
/* Returns true if a server failed, rather than not having the file. */
bool fetch_failed(const struct fetch *fetch);
/*
 * Returns the outcome of FETCH (may be NULL) for the summary of lost frames, or NULL if it got the
 * file or is not done. FIX_RET receives what would help, a constant, or NULL if the server simply
 * does not have the file.
 */
const char *fetch_lost(struct fetch *fetch, const char **fix_ret);
/* The content of a progress line. Strings are not escaped, and are valid only during the call. */
struct fetch_progress {
	const char *name; /* one of the N_RUNNING downloads */
	const char *url;  /* its server; NULL: no server has answered yet */
	/* received and total bytes of the downloads that were answered; total -1: unknown */
	int64_t bytes, total;
	size_t n_running, n_waiting;
};

struct fetch_options {
	const char *urls;  /* separated by spaces; NULL or empty: no downloads */
	const char *cache; /* the cache directory of debuginfod's clients; NULL: no downloads */
	unsigned timeout;  /* seconds that a server may take for a file */
	unsigned budget;   /* seconds that all downloads of the run may take together */
	uint64_t max;	   /* size limit for whole files, in bytes */
	/* Called several times a second during downloads, and with NULL when they end. */
	void (*progress)(void *context, const struct fetch_progress *progress);
	void *context;
};

struct fetcher;

/* Returns NULL if there are no servers. OPTIONS must outlive the fetcher. */
struct fetcher *fetcher_create(const struct fetch_options *options);
/* Abandons the downloads in progress. */
void fetcher_destroy(struct fetcher *fetcher);

/*
 * Starts a download, or returns the earlier one of the same file, or one that has failed if there
 * are 16384 already. LABEL is its name for messages. NAME is that of a section or source, else
 * NULL. FETCHER may be NULL. Returns NULL without a fetcher, or if ID has fewer than the 8 bytes
 * that make it unique. The result lives as long as the fetcher.
 */
struct fetch *fetcher_start(struct fetcher *fetcher, enum debuginfod_kind kind,
	const struct build_id *id, const char *name, const char *label);
/* Handles the messages that have arrived, without waiting. FETCHER may be NULL. */
void fetcher_poll(struct fetcher *fetcher);
/* Does the same after waiting a moment for a message. */
void fetcher_sleep(struct fetcher *fetcher);
/* Waits until FETCH is done or the run is to stop. */
void fetcher_wait(struct fetcher *fetcher, const struct fetch *fetch);

/* Reports failures and remedies to LOG, and, as details, what was found and what was not. */
void fetcher_notes(const struct fetcher *fetcher, struct log *log);
