/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One file that is wanted of debuginfod servers, and what became of that. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build_id.h"
#include "object/fetch/debuginfod.h"
#include "util/log.h"
#include "util/text.h"

/* Only the fetcher changes the fields, but for `sections`. */
struct fetch {
	enum debuginfod_kind kind;
	struct build_id id;
	char *name, *label; /* name NULL: none */
	bool done;	    /* nothing more will come */
	size_t next;	    /* server to ask */
	size_t running;	    /* servers being asked */
	int64_t asked_ms;   /* when the last of them was asked, CLOCK_MONOTONIC */
	bool hard;	    /* something other than absence was met */
	char *path;	    /* in the cache, of the build ID that was asked for; NULL: not got */
	uint64_t too_large; /* size, 0: no server's file was */
	uint64_t sections;  /* bytes of it that were fetched singly; 0: none */
	struct text outcome;
	const char *fix; /* what would help; NULL: nothing */
	bool told;	 /* the summary says what became of it */
	size_t holders;	 /* see fetch_hold() */
};

/*
 * Who keeps FETCH (may be NULL) or its outcome beyond a batch holds it until fetch_release(): else
 * the fetcher may forget it. Returns FETCH.
 */
struct fetch *fetch_hold(struct fetch *fetch);
void fetch_release(struct fetch *fetch);
/* What each server answered: "URL: not found; URL: no answer in 30 s". "" before all is said. */
const char *fetch_outcome(const struct fetch *fetch);
/* Whether a server failed, which is more than that none has the file. */
bool fetch_failed(const struct fetch *fetch);
/*
 * The outcome if FETCH (may be NULL) brought nothing, for the summary of lost frames; FIX_RET gets
 * what would help (a constant), NULL where the server just does not have the file. NULL: it did.
 */
const char *fetch_lost(struct fetch *fetch, const char **fix_ret);
/* The file's size if it was not fetched because of that; 0: that was not the reason. */
uint64_t fetch_too_large(const struct fetch *fetch);

/* Whether the summary tells of a failure in which the server URL had its part. */
bool fetch_tells(const struct fetch *fetch, const char *url);
/* Tells LOG what became of it. */
void fetch_note(const struct fetch *fetch, struct log *log);

/* For the fetcher. Strings are copied; NAME may be NULL. */
struct fetch *fetch_create(
	enum debuginfod_kind kind, const struct build_id *id, const char *name, const char *label);
void fetch_destroy(struct fetch *fetch);
/* Whether FETCH is for just that file. */
bool fetch_is(const struct fetch *fetch, enum debuginfod_kind kind, const struct build_id *id,
	const char *name);
/* Adds to the outcome what the server URL answered, or (NULL) otherwise. */
void fetch_say(struct fetch *fetch, const char *url, const char *outcome);
extern const char fetch_fix_servers[]; /* the fix where a server is not there */
/* The same for what is more than absence. FIX (a constant) is what would help. */
void fetch_fail(struct fetch *fetch, const char *url, const char *outcome, const char *fix);
/* Whether the file at PATH is of the build that was asked for, as far as that can be told. */
bool fetch_is_right(const struct fetch *fetch, const char *path);
