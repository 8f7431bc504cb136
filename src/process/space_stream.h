/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address spaces that change while samples are taken and resolved. */
#pragma once

#include "process/space.h"

/*
 * Begins a round; call it before requesting processes at times up to TIME (ns, CLOCK_MONOTONIC).
 * Waits for a running recorder. Once a second, reads the live processes requested since then again:
 * they may have mapped other files or run another program, or their IDs may have been reused.
 * Returns true if anything changed; pointers to mappings are then invalid.
 */
bool space_cache_refresh(struct space_cache *cache, uint64_t time);
/* Prepares the cache for samples that arrive while processes change. */
void space_cache_stream(struct space_cache *cache);
/*
 * Moves the live processes and the follower of OLD to CACHE, which is empty, so that it continues
 * OLD's stream.
 */
void space_cache_take(struct space_cache *cache, struct space_cache *old);
/* The time of a sample, in [since, until], ns of CLOCK_MONOTONIC. 0 if unknown but recent. */
struct taken {
	uint64_t since, until;
};
/*
 * Returns false if ADDRESS of SPACE (0: any address) may have had other content at some time in
 * TAKEN than when SPACE was read.
 */
bool space_covers(const struct space_cache *cache, const struct space *space, struct taken taken,
	uint64_t address);
/*
 * Returns TAKEN with the earliest and latest possible time where it is unknown; {0, 0} if changes
 * are not followed.
 */
struct taken space_taken(const struct space_cache *cache, struct taken taken);
/* Returns SPACE, or, if it does not cover TAKEN, the same process as it was then, if known. */
struct space *space_then(
	struct space_cache *cache, struct space *space, struct taken taken, uint64_t address);
/*
 * Returns true if, in a stream, the follower has reported that something else may have been mapped
 * at ADDRESS of the running process SPACE since SPACE was read.
 */
bool space_has_moved(const struct space_cache *cache, const struct space *space, uint64_t address);

/* Decides which spaces a long run keeps. */

/*
 * Returns true if the spaces are so many or so large that space_cache_forget() should be called.
 * That drops spaces that were not requested in this or the previous round, exited processes first.
 * They are read again on request.
 */
bool space_cache_is_full(struct space_cache *cache);
void space_cache_forget(struct space_cache *cache);
