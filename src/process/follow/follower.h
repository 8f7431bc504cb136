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

struct follower;

/* Returns NULL if the kernel does not permit following all processes. */
struct follower *follower_open(void);
void follower_close(struct follower *follower);
/* Reads the events up to now. */
void follower_hear(struct follower *follower);
/*
 * Empties the event buffers so that they do not overflow during other work. FOLLOWER may be NULL.
 */
void follower_take(struct follower *follower);
/*
 * Marks that all samples read so far are resolved. Samples without a time that are read from now on
 * were taken at most SLACK ns before the previous call.
 */
void follower_mark(struct follower *follower, uint64_t slack);
/* Returns true if events since TIME (ns) may be missing. Returns false if TIME is 0 (unknown). */
bool follower_misses(const struct follower *follower, uint64_t time);
/* Returns the earliest possible time of a sample without a time, ns. */
uint64_t follower_since(const struct follower *follower);
/* Returns the time of the last follower_hear(), ns. */
uint64_t follower_heard(const struct follower *follower);
/*
 * Calls CHANGED for each process whose mappings may have changed since the last call; with -1 if
 * events were lost, so that any process may have.
 */
void follower_changes(
	struct follower *follower, void (*changed)(void *context, int64_t pid), void *context);
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
/*
 * Returns the recording in memory. It has only processes, namely those that run or exited a few
 * seconds ago.
 */
struct recording *follower_recording(struct follower *follower);
