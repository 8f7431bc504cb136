/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the processes that the symbolizer knows say about the numbers of a dump (input/processes.h).
 */
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
	struct VEC(struct parentage) live; /* sorted by parent; read when asked for */
	struct table comms;		   /* of these processes */
	struct table threads;		   /* int64_t: a thread → its process + 1, 0: unknown */
	/* When LIVE and THREADS were begun, ns, monotonic: after a second they are forgotten. */
	uint64_t live_since, threads_since;
	int64_t last_thread, last_process; /* of THREADS, where it is not empty */
	uint64_t steps;			   /* spent on looking for children, bounded */
};

void dump_processes_deinit(struct dump_processes *processes);
/* The callbacks; PROCESSES must outlive them. */
struct input_processes dump_processes_ask(struct dump_processes *processes);
