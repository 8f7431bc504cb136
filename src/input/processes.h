/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the reader of a dump asks about processes, live or recorded: which number of a map without
 * BTF is one, and which process a thread belongs to. Who reads the dump answers (the symbolizer).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/stack.h"

/* Whether a process can have had a stack. */
enum process_fit {
	PROCESS_UNKNOWN,  /* it is not known, or its mappings cannot be read */
	PROCESS_MISFIT,	  /* it lives or is recorded, and its code is not at these addresses */
	PROCESS_POSSIBLE, /* its code is there, but so may be that of others (no ASLR, not PIE) */
	PROCESS_FITS,	  /* its code is there, at random places or under the right comm */
};

struct input_processes {
	/* NUMBER is a process or thread; USER is PRESENT; COMM may be NULL. */
	enum process_fit (*fit)(
		void *context, int64_t number, const struct stack *user, const char *comm);
	/*
	 * A live descendant of NUMBER that fits as well: then NUMBER may be the parent of who ran.
	 * -1: none.
	 */
	int64_t (*fitting_child)(
		void *context, int64_t number, const struct stack *user, const char *comm);
	/* Whether NUMBER may have had children that have ended, of which nothing is known. */
	bool (*had_children)(void *context, int64_t number);
	/* The process of thread or process NUMBER; -1: unknown. */
	int64_t (*of_thread)(void *context, int64_t number);
	/* The inode of the mount namespace that process NUMBER is in; 0: unknown, or it is recorded. */
	uint64_t (*mount_namespace)(void *context, int64_t number);
	/* Whether a live process is called COMM; true as well where none is known. */
	bool (*has_comm)(void *context, const char *comm);
	void *context;
};
