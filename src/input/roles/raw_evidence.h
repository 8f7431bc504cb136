/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes, live or recorded, say of a column of a map without BTF: whether its numbers are
 * those that had the user stacks in another column. What follows from that is decided in
 * raw_rules.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/processes.h"
#include "input/roles/raw_columns.h"

/* Where the name of the process is in each entry. */
struct raw_comm {
	bool known, of_value;
	size_t offset; /* bytes */
};

/* The columns that are compared. */
struct raw_pairing {
	const struct raw_columns *columns;
	const struct input_processes *processes; /* NULL: none are known */
	size_t stacks;				 /* the column of the user stacks */
	struct raw_comm comm;
};

/* Numbers of a column, counted once each. */
struct raw_evidence {
	size_t column;
	size_t fits;	 /* a process or thread with code at the addresses */
	size_t possible; /* as others may have, too (no ASLR) */
	size_t misfits;	 /* it lives or is recorded, and has no code there */
	size_t unknown;	 /* it has ended, or may not be read */
	bool zero;	 /* an entry with addresses has number 0, which is no process */
	bool threads;	 /* some of those that fit is a thread, and no process */
	/*
	 * Some of those that fit is no parent of who ran: it is a thread, or has no child that fits
	 * and has had none that has ended.
	 */
	bool alone;
	bool misfit_alone;     /* so is some of those that misfit */
	int64_t misfit;	       /* one of them */
	int64_t parent, child; /* one that is no such, and a child that fits as well; -1: none */
};

struct raw_evidence raw_evidence_find(const struct raw_pairing *pairing, size_t column);

/* What the entries say of two columns whose numbers may be processes. */
struct raw_relation {
	size_t same, different; /* entries: both are known, and of one process, of two */
	size_t first,
		second; /* it is the process of a thread in the other one; 0: rather a thread */
	size_t only_first, only_second; /* it fits the stack, and the other one does not */
};

struct raw_relation raw_evidence_relate(
	const struct raw_pairing *pairing, size_t first, size_t second);
