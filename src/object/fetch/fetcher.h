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
#include "object/fetch/fetch.h"
#include "util/log.h"

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
 * Starts a download, or returns the earlier one of the same file. LABEL is its name for messages.
 * NAME is that of a section or source, else NULL. FETCHER may be NULL. Returns NULL without a
 * fetcher, or if ID has fewer than the 8 bytes that make it unique.
 */
struct fetch *fetcher_start(struct fetcher *fetcher, enum debuginfod_kind kind,
	const struct build_id *id, const char *name, const char *label);
/* Handles the messages that have arrived, without waiting. FETCHER may be NULL. */
void fetcher_poll(struct fetcher *fetcher);
/* Does the same after waiting a moment for a message. */
void fetcher_sleep(struct fetcher *fetcher);
/* Waits until FETCH is done or the run is to stop. */
void fetcher_wait(struct fetcher *fetcher, const struct fetch *fetch);

/*
 * Returns true if there are so many downloads that fetcher_forget() should be called between
 * batches. That frees downloads that are done and not held; the servers are asked again if they are
 * started again. FETCHER may be NULL.
 */
bool fetcher_is_full(const struct fetcher *fetcher);
void fetcher_forget(struct fetcher *fetcher);

/* Reports failures and remedies to LOG, and, as details, what was found and what was not. */
void fetcher_notes(const struct fetcher *fetcher, struct log *log);
