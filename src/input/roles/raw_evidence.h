/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the numbers in a column of a map without BTF with live or recorded processes: are they
 * the processes that had the user stacks in another column? raw_rules.c draws the conclusions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/processes.h"
#include "input/roles/raw_columns.h"

/* what the numbers are compared with */
struct raw_pairing {
	const struct raw_columns *columns;
	const struct input_processes *processes; /* NULL: none are known */
	size_t stacks;				 /* column of the user stacks */
	size_t comm; /* offset of the name of the process in rows, in bytes; RAW_NONE: none */
};

/* the different numbers of a column, counted by result */
struct raw_evidence {
	size_t column;
	size_t fits;	 /* processes or threads with code at the addresses */
	size_t possible; /* the same, but other processes may have code there as well (no ASLR) */
	size_t misfits;	 /* known processes or threads without code there */
	size_t unknown;	 /* exited or unreadable ones */
	bool zero;	 /* an entry with addresses has number 0, which is no process */
	bool threads;	 /* a fitting number is a thread other than the main one */
	/*
	 * A fitting or possible number is not the parent of the process that ran: it is a thread,
	 * or it has no fitting child and has had no child that exited.
	 */
	bool alone;
	bool misfit_alone;     /* the same for a number that misfits */
	size_t parents;	       /* numbers that misfit and have a fitting child */
	int64_t misfit;	       /* a number that misfits; -1: none */
	int64_t parent, child; /* a number that may be a parent, and its fitting child; -1: none */
};

/* Compares the numbers of COLUMN with the processes and stacks of PAIRING. */
struct raw_evidence raw_evidence_find(const struct raw_pairing *pairing, size_t column);

/* comparison of two columns of possible processes or threads; all numbers count entries */
struct raw_relation {
	size_t same, different; /* both are known, and belong to one process; to two */
	/* this one is the process of a thread in the other; 0 if it has as many threads itself */
	size_t first, second;
	size_t only_first, only_second; /* only this one fits the stack; both are known */
};

/* Compares the columns FIRST and SECOND. */
struct raw_relation raw_evidence_relate(
	const struct raw_pairing *pairing, size_t first, size_t second);
