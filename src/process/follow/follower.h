/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the processes of this system did of late, for streams: a recording in memory, of the events that
 * the kernel reports and of what /proc said when a process was asked for. Samples are read first and the
 * events then, so that each change before a sample is known. munmap(2) and mprotect(2) are not reported.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "process/maps.h"
#include "process/recording/recording.h"

struct follower;

/* Returns NULL if the kernel does not let us hear of all processes. */
struct follower *follower_open(void);
void follower_close(struct follower *follower);
/* Takes what happened up to now. */
void follower_hear(struct follower *follower);
/* Makes room for what happens, for whoever is busy with something else. FOLLOWER may be NULL. */
void follower_take(struct follower *follower);
/*
 * All samples that were read are resolved: those without a time that are read from now on were taken at most SLACK
 * ns before the call that comes before this one.
 */
void follower_mark(struct follower *follower, uint64_t slack);
/*
 * From now on samples come one by one as they are taken: those from before the follower was opened
 * are not covered. Maps, whose entries may be old, are taken to be of now.
 */
void follower_want_all(struct follower *follower);
/* Returns true if what happened since TIME (ns; 0: unknown) was not heard, or not all of it. */
bool follower_misses(const struct follower *follower, uint64_t time);
/* The earliest time of a sample that has none, ns. */
uint64_t follower_since(const struct follower *follower);
/* When follower_hear() was called last, ns. */
uint64_t follower_heard(const struct follower *follower);
/*
 * Calls CHANGED with each process that had other mappings after follower_hear() was called first since the last
 * call of this; -1: any process may, as events were lost.
 */
void follower_changes(
	struct follower *follower, void (*changed)(void *context, int64_t pid), void *context);
/*
 * /proc has said that process PID, which started STARTED clock ticks after boot, has COMM and MAPS; it was read after
 * TIME and before the last call of follower_hear().
 */
void follower_add(struct follower *follower, int64_t pid, uint64_t time, uint64_t started,
	const char *comm, const struct maps *maps);
/*
 * Returns true if something else may be at ADDRESS of PID at some time in (SINCE, UNTIL], ns, than at another; 0: at
 * any address.
 */
bool follower_moved(const struct follower *follower, int64_t pid, uint64_t since, uint64_t until,
	uint64_t address);
/* What is known: of processes alone, and only of those that run or ended some seconds ago at most. */
struct recording *follower_recording(struct follower *follower);
