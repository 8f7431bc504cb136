/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers questions about the numbers of a dump from known processes (input/processes.h). */
#pragma once

#include <stdint.h>

#include "input/processes.h"
#include "process/space.h"
#include "util/table.h"
#include "util/vec.h"

struct parentage {
	int64_t child, parent;
};

struct dump_processes {
	struct space_cache *spaces;	   /* not owned */
	struct VEC(struct parentage) live; /* sorted by parent; read on demand */
	struct table comms;		   /* names of these processes */
	struct table threads;		   /* int64_t thread → process + 1; 0: unknown */
	/* CLOCK_MONOTONIC in ns when LIVE and THREADS were read; they are kept for a second */
	uint64_t live_since, threads_since;
	int64_t last_thread, last_process; /* last entry of THREADS used, unless empty */
	uint64_t steps;			   /* steps spent on searching children, bounded */
};

void dump_processes_deinit(struct dump_processes *processes);
/* Returns the callbacks; PROCESSES must outlive them. */
struct input_processes dump_processes_ask(struct dump_processes *processes);
