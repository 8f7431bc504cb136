/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The download of one file from debuginfod servers, and its outcome. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build_id.h"
#include "object/fetch/debuginfod.h"
#include "util/log.h"
#include "util/text.h"

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
	size_t holders;	 /* see fetch_hold() */
};

/*
 * Keeps FETCH (may be NULL) and its outcome until fetch_release(); without this, the fetcher may
 * free it between batches. Returns FETCH.
 */
struct fetch *fetch_hold(struct fetch *fetch);
void fetch_release(struct fetch *fetch);
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
/* Reports the outcome to LOG. */
void fetch_note(const struct fetch *fetch, struct log *log);

/* For the fetcher only, as are the next two. */
void fetch_destroy(struct fetch *fetch);
/* Adds what the server URL answered to the outcome. With URL NULL the text is about no server. */
void fetch_say(struct fetch *fetch, const char *url, const char *outcome);
extern const char fetch_fix_servers[]; /* the remedy if a server cannot be reached */
/* Does the same for a failure. FIX is what would help, a constant. */
void fetch_fail(struct fetch *fetch, const char *url, const char *outcome, const char *fix);
