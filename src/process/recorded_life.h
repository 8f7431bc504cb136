/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording knows of one pid: its mappings over time, through execs and through the pid's
 * use by one process after another. Only executable mappings are recorded, and no munmap: what was
 * mapped stays until something else is mapped there.
 */
#ifndef PROCESS_RECORDED_LIFE_H
#define PROCESS_RECORDED_LIFE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "process/maps.h"
#include "process/recording.h"

/* An address space that the pid had: from a fork, an exec or a look into /proc to the next one. */
struct life_image {
	uint64_t begin;   /* ns; 0: it was there before the recording */
	uint64_t started; /* of the process: clock ticks since boot, 0: unknown */
	uint32_t program; /* from 1: a look into /proc finds the program that was there before */
};

/* A mapping in a segment. */
struct life_entry {
	uint64_t time; /* ns */
	uint32_t image;
	struct mapping mapping; /* cut to its segment */
};

/* A range of addresses that no mapping begins or ends in, with the mappings it ever had. */
struct life_segment {
	uint64_t start, end;
	size_t first, n; /* entries, in order of time */
};

struct recorded_life {
	const struct recording *recording;
	/*
	 * Disjoint, ascending: what was ever mapped. A mapping is `ambiguous` where different files,
	 * or different parts of one, were mapped at different times.
	 */
	struct maps maps;
	const char *comm;   /* the last one; NULL: unknown */
	const char *nspid;  /* as in struct recorded_event; NULL: unknown */
	uint32_t pid;
	uint32_t n_programs;
	uint64_t started; /* no process had the pid before, ns of CLOCK_MONOTONIC; 0: unknown */
	uint64_t namespace; /* the last mount namespace, 0: unknown */
	bool crowded;       /* more mappings than are kept: what is missing is unmapped */
	struct VEC(struct life_image) images; /* in order of time */
	struct VEC(struct life_segment) segments;
	struct VEC(struct life_entry) entries;
};

/* The life of PID (or of the process that had this thread). NULL: it is not in the recording. */
const struct recorded_life *recorded_life_of(struct recording *recording, int64_t pid);
void recorded_life_destroy(struct recorded_life *life);
/*
 * What was mapped at ADDRESS at TIME (ns, CLOCK_MONOTONIC; 0 or outside the recording: unknown,
 * then as in maps). NULL: nothing. Pointers stay valid as long as the recording.
 */
const struct mapping *recorded_life_find(
	const struct recorded_life *life, uint64_t time, uint64_t address);

/* The program (struct life_image) that ran at TIME, of which something is known. */
uint32_t recorded_life_program(const struct recorded_life *life, uint64_t time);

/*
 * Whether a file with status ST can be MAPPING's, which has an inode and no build ID: on another
 * machine or boot nothing says so; here its size and time must be as they were.
 */
bool recorded_life_is_file(const struct recorded_life *life, const struct mapping *mapping,
	const struct stat *st);

#endif
