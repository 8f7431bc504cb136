/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process record: what a recording knows of one process, its mappings over time and across execs.
 * Only executable mappings are recorded, and munmap is not: a mapping is assumed to stay until
 * another one replaces it. process/recording/ids.h determines which process had an ID.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "process/maps.h"
#include "process/recording/ids.h"
#include "process/recording/recording.h"
#include "util/clock.h"

/* A process's name from TIME on. */
struct timed_comm {
	uint64_t time; /* ns */
	const char *comm;
};

struct process_record {
	struct recording *recording;
	/*
	 * All executable ranges that were ever mapped: disjoint, ascending. A range is `ambiguous`
	 * if different files, or different parts of one, were mapped there at different times.
	 */
	struct maps maps;
	/* ascending times; the first name is also assumed before its time */
	struct VEC(struct timed_comm) comms;
	struct VEC(uint64_t) programs; /* times of execs in ns, ascending */
	uint32_t levels;	       /* see struct recorded_row */
	uint32_t pid;
	size_t first; /* index of its first event among those of PID */
	/* ns; it had the ID from BEGIN (0: always) to UNTIL (0: to the end) */
	uint64_t begin, until;
	uint64_t started;     /* ns, CLOCK_MONOTONIC: it did not run before; 0 if unknown */
	uint64_t start_ticks; /* start time in clock ticks since boot; 0 if unknown */
	uint64_t namespace;   /* last mount namespace; 0 if unknown */
	const char *root;     /* last root directory in NAMESPACE; NULL if unknown, mostly / */
	bool came;    /* true if it ran before it was recorded: earlier mappings are unknown */
	bool crowded; /* true if some of its mappings were not kept: too many */
	struct VEC(struct mapping) mappings; /* as recorded, ascending times */
	struct history history;		     /* by address; `item`: index in MAPPINGS */
	struct arena strings;
};

/*
 * Returns the record of the process that had PID, or had a thread with this ID, at TIME (ns,
 * CLOCK_MONOTONIC; unknown if 0 or outside the recording). Returns NULL if there is none. If
 * several had the ID and TIME does not decide, returns NULL and sets AMBIGUOUS.
 */
const struct process_record *process_record_of(
	struct recording *recording, int64_t pid, uint64_t time, bool *ambiguous);
/*
 * Frees all process records whose addresses are not in KEPT (NULL: all of them), and the cached
 * rows and tasks of IDs. They are read again when needed.
 */
void process_records_forget(struct recording *recording, struct table *kept);
/*
 * Returns the mapping at ADDRESS at TIME, or NULL. If TIME (see above) is unknown, searches `maps`.
 * The result is valid as long as RECORD.
 */
const struct mapping *process_record_find(
	const struct process_record *record, uint64_t time, uint64_t address);
/* Returns its name at TIME, or its last name if TIME is unknown; NULL if no name is known. */
const char *process_record_comm(const struct process_record *record, uint64_t time);

/*
 * Returns false if lost events, or mappings that were not kept, could mean that at TIME this is
 * another process, or that it has other mappings. A later read of /proc restores certainty after a
 * loss. TIME is as above; the process's end if unknown.
 */
bool process_record_is_sure(const struct process_record *record, uint64_t time);
/* Sets the size and times of FILE from ST. */
void recorded_file_stamp(struct recorded_file *file, const struct stat *st);
/* error of file timestamps in ns: twice the slowest timer tick */
#define RECORDED_TICK ((int64_t)SECOND / 50)
/*
 * Returns true if a file with CTIME, whose status was read after TIME (ns, CLOCK_MONOTONIC), is the
 * one that its inode number belonged to at TIME: its ctime is less than SLACK ns after TIME. A
 * negative SLACK allows for the error of timestamps. REAL is clock_real() of that time; 0: unknown.
 */
bool recorded_file_was(int64_t ctime, uint64_t time, uint64_t real, int64_t slack);
/*
 * Returns true if a file with status ST can be the file of MAPPING, which has an inode. Always
 * false for a recording of another machine or boot. Size and times must be unchanged; if they were
 * not recorded, a build ID must have been.
 */
bool process_record_is_file(
	const struct process_record *record, const struct mapping *mapping, const struct stat *st);
/*
 * Returns true if the file with status ST was last changed or renamed before the process began, so
 * that nobody could forge it after seeing what the process runs.
 */
bool process_record_is_younger(const struct process_record *record, const struct stat *st);

/*
 * Returns true if COPY, a row of the process of RECORD, is a copy of the file of MAPPING, one of
 * its mappings: the same program had that file mapped there while the copy was made, and no lost
 * event could contradict that.
 */
bool recorded_copy_is_of(const struct process_record *record, const struct recorded_row *copy,
	const struct mapping *mapping);
