/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For streams, follows what the processes of this system do: a recording in memory, of the events
 * that the kernel reports and of what was read from /proc. Samples are read before events, so that
 * all changes before a sample are known. munmap(2) and mprotect(2) are not reported.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "process/maps.h"
#include "process/recording/recording.h"

/* A file by device, inode and path. Before its status was read, nothing is known of it. */
struct followed_file {
	int64_t ctime;	/* ns since 1970, as last read */
	uint64_t seen;	/* when that was, in ns; 0: never */
	uint32_t known; /* index of the file with the status that was last read */
};

/* A process or thread that exited. */
struct ended_task {
	uint64_t time; /* ns */
	uint32_t id;
};

struct follower {
	struct s2l_perf_events *events;
	/*
	 * In memory, owned. It has only processes, namely those that run or exited a few seconds
	 * ago.
	 */
	struct recording *recording;
	/* device, inode, path → index of the file without a status in recording.files and FOLLOWED */
	struct table files;
	struct VEC(struct followed_file) followed;
	struct table names; /* comm → the string, in the recording's strings */
	/* processes whose mappings may have changed since the caller emptied it, with repetitions */
	struct VEC(uint32_t) changed;
	struct VEC(struct ended_task) ended; /* ascending times */
	uint64_t heard;			     /* ns; last follower_hear(), or when it was opened */
	/*
	 * ns; last two follower_mark(), older first: that is the earliest possible time of a sample
	 * without a time
	 */
	uint64_t marks[2];
	uint64_t lost; /* ns; events before may be missing */
	/* true if events were lost since the caller reset it, so that any process may have changed */
	bool lost_some;
};

/* Returns NULL if the kernel does not permit following all processes. */
struct follower *follower_open(void);
void follower_close(struct follower *follower);
/* Reads the events up to now. */
void follower_hear(struct follower *follower);
/*
 * Marks that all samples read so far are resolved. Samples without a time that are read from now on
 * were taken at most SLACK ns before the previous call.
 */
void follower_mark(struct follower *follower, uint64_t slack);
/* Returns true if events since TIME (ns) may be missing. Returns false if TIME is 0 (unknown). */
static inline bool follower_misses(const struct follower *follower, uint64_t time)
{
	return time && time < follower->lost;
}
/* Reads the events up to now into CHANGED and LOST_SOME, and forgets what no sample needs. */
void follower_update(struct follower *follower);
/* Drops PID's events that no sample needs; to be called for each of CHANGED. */
void follower_shorten(struct follower *follower, uint32_t pid);
/*
 * Adds what /proc had: process PID, started STARTED clock ticks after boot, with COMM and MAPS. It
 * was read after TIME (ns) and before the last follower_hear().
 */
void follower_add(struct follower *follower, int64_t pid, uint64_t time, uint64_t started,
	const char *comm, const struct maps *maps);
/*
 * Returns true if the content of PID at ADDRESS (0: any address) may have changed in (SINCE,
 * UNTIL], ns.
 */
bool follower_moved(const struct follower *follower, int64_t pid, uint64_t since, uint64_t until,
	uint64_t address);
