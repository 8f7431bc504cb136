/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callbacks that answer questions about processes, live or recorded: which number of a map without
 * BTF is a process, and which process a thread belongs to. The symbolizer implements them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/stack.h"

#define PROCESS_ID_MAX 4194304 /* PID_MAX_LIMIT, include/linux/threads.h */

/* How well a user stack matches a process. */
enum process_fit {
	PROCESS_UNKNOWN,  /* unknown process, or its mappings cannot be read */
	PROCESS_MISFIT,	  /* known, but has no code at these addresses, or another comm */
	PROCESS_POSSIBLE, /* has code there, as others may (no ASLR, not PIE) */
	PROCESS_FITS,	  /* has code there, at random addresses or with the right comm */
};

struct input_processes {
	/* Matches stack USER, which is PRESENT, with process or thread NUMBER. COMM may be NULL. */
	enum process_fit (*fit)(
		void *context, int64_t number, const struct stack *user, const char *comm);
	/*
	 * Returns a child or other descendant of NUMBER that the stack fits too, or -1. NUMBER may
	 * then be only the parent of the process that ran.
	 */
	int64_t (*fitting_child)(
		void *context, int64_t number, const struct stack *user, const char *comm);
	/* Returns true if NUMBER may have had children that have exited and are unknown. */
	bool (*had_children)(void *context, int64_t number);
	/* Returns the process of thread or process NUMBER, or -1 if unknown. */
	int64_t (*of_thread)(void *context, int64_t number);
	/* Returns the inode of process NUMBER's mount namespace, or 0 if unknown or recorded. */
	uint64_t (*mount_namespace)(void *context, int64_t number);
	/* Returns true if a live process has the name COMM, or if none is known. */
	bool (*has_comm)(void *context, const char *comm);
	void *context;
};

/* Returns the process of thread or process NUMBER, or -1 if unknown. PROCESSES may be NULL. */
static inline int64_t process_of_thread(const struct input_processes *processes, int64_t number)
{
	return processes && number >= 0 ? processes->of_thread(processes->context, number) : -1;
}
