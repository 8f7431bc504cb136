/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address spaces that change while samples are taken and resolved. */
#pragma once

#include "process/space.h"

/*
 * Before processes are asked for at times up to TIME (ns, CLOCK_MONOTONIC): waits for a recorder that runs, and
 * looks again at the live processes that were asked for since the last time, if that is a second
 * ago: in a stream a process maps other files, runs another program, or its ID is used by another
 * process. True: something changed, and mappings that were handed out are gone.
 */
bool space_cache_refresh(struct space_cache *cache, uint64_t time);
/* From now on samples come while processes change. */
void space_cache_stream(struct space_cache *cache);
/* When a sample was taken, ns of CLOCK_MONOTONIC: in [since, until]. 0: unknown, but of late. */
struct taken {
	uint64_t since, until;
};
/*
 * Returns false if something else may have been at ADDRESS (0: anywhere) of SPACE at some time TAKEN than when it was
 * read.
 */
bool space_covers(const struct space_cache *cache, const struct space *space, struct taken taken,
	uint64_t address);
/* SPACE; or the same process as it was when TAKEN, if it does not cover that and that is known. */
struct space *space_then(
	struct space_cache *cache, struct space *space, struct taken taken, uint64_t address);
