/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording knows of one process: its mappings over time, through execs. Only executable
 * mappings are recorded, and no munmap: what was mapped stays until something else is mapped
 * there. Who the process is that had an ID is asked of process/recording/ids.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "process/maps.h"
#include "process/recording/ids.h"
#include "process/recording/recording.h"

/* A process's name from a time on. */
struct life_comm {
	uint64_t time; /* ns */
	const char *comm;
};

struct recorded_life {
	struct recording *recording;
	/*
	 * Disjoint, ascending: what was ever mapped. A mapping is `ambiguous` where different files,
	 * or different parts of one, were mapped at different times.
	 */
	struct maps maps;
	struct VEC(struct life_comm) comms; /* in order of time; before the first: the same */
	struct VEC(uint64_t) programs;	    /* ns: when each exec was, ascending */
	uint32_t levels;		    /* as in struct recorded_row */
	uint32_t pid;
	size_t first;	       /* its first event, of those of PID */
	uint64_t begin, until; /* ns: it had the ID from BEGIN to UNTIL; 0: always, to the end */
	uint64_t started; /* the process did not run before, ns of CLOCK_MONOTONIC; 0: unknown */
	uint64_t start_ticks; /* when it started, in clock ticks since boot; 0: unknown */
	uint64_t namespace;   /* the last mount namespace, 0: unknown */
	const char *root;     /* its last root directory in that; NULL: unknown, mostly / */
	bool came;	      /* it ran before it was recorded, and what is not known */
	bool crowded;	      /* more mappings than are kept: what is missing is unmapped */
	struct VEC(struct mapping) mappings; /* as recorded, in order of time */
	struct history history;		     /* by address; `item`: the index of a mapping */
	struct arena strings;
};

/*
 * The life of the process that had PID, or a thread with this ID, at TIME (ns, CLOCK_MONOTONIC;
 * 0 or outside the recording: unknown). NULL: none, or AMBIGUOUS: several had, and TIME does not
 * tell.
 */
const struct recorded_life *recorded_life_of(
	struct recording *recording, int64_t pid, uint64_t time, bool *ambiguous);
/*
 * Frees all lives whose address is not in KEPT (NULL: all), and what is kept of IDs: they are
 * read again when they are asked for.
 */
void recorded_lives_forget(struct recording *recording, struct table *kept);
/*
 * What was mapped at ADDRESS at TIME (as above; unknown: as in maps). NULL: nothing. Pointers
 * stay valid as long as the recording.
 */
const struct mapping *recorded_life_find(
	const struct recorded_life *life, uint64_t time, uint64_t address);
/* Its name at TIME, or the last one; NULL: unknown. */
const char *recorded_life_comm(const struct recorded_life *life, uint64_t time);

/*
 * Whether no event was lost from which on the process could be another, or have other mappings,
 * at TIME (ns; as above; unknown: at its end). /proc says anew what is so.
 */
bool recorded_life_is_sure(const struct recorded_life *life, uint64_t time);
/* Sets size and times of FILE to those of ST. */
void recorded_file_stamp(struct recorded_file *file, const struct stat *st);
/*
 * Whether a file with status ST can be MAPPING's, which has an inode and no build ID: on another
 * machine or boot nothing says so; here its size and time must be as they were.
 */
bool recorded_life_is_file(
	const struct recorded_life *life, const struct mapping *mapping, const struct stat *st);
/*
 * True if the file with status ST was not changed, nor given its name, since the process began:
 * not by those who saw what it ran.
 */
bool recorded_life_is_younger(const struct recorded_life *life, const struct stat *st);
