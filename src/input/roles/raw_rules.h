/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which columns of a map without BTF are stack IDs (and of which side), the comm, and the
 * process. Each possible assignment of these roles is a hypothesis. It is accepted only if all
 * others are refuted. A column
 *
 *	with a number in no stack map		is no stack ID, unless at least half are in one
 *	whose stacks are all of one side	has that side; others may have either side
 *	whose numbers may be in stack maps	may be a stack ID or not; it is accepted as one if it
 *	by chance				is the only such column, and a process is proven to
 *						have had these stacks
 *	that is the process of other stacks	is no stack ID
 *	with text of 16 bytes			is the comm if processes of that name have the
 *						stacks; if none is proven, it must be the only text,
 *						and the name of a process
 *
 * To find the process of the user stacks, each number in each other column is compared with the
 * processes of that number (raw_evidence.c). Each number counts once, so that one
 * process after exec, or one reused number, has little weight.
 *
 *	a number whose process ...		as the process or thread	as its parent
 *	has code at the addresses (random	supports			open
 *	addresses, or the same comm)
 *	... and has had no child, or is a	supports			refutes
 *	thread other than the main one
 *	... and so has a child			open				supports
 *	has no code there, but a child has	contradicts			supports
 *	has code where others may have some	open				open
 *	is known and has no code there		contradicts			open
 *	has exited				open				open
 *	has ID 0, beside addresses		refutes				refutes
 *
 * A column is the process if at least as many numbers support that as contradict it, and if it is
 * refuted that they are the parents. It is not if most numbers contradict it, and no number
 * supports it or all may be the parents. It is also the process if it agrees with such a column, or
 * with the threads in stack words of bpftrace. If two columns name different processes, none is.
 *
 * A hypothesis is refuted by another one that has an additional stack which is not due to chance,
 * and by one for the same sides of which nothing is due to chance. If two columns have stacks of
 * the same side, either may be the right one. A column is dropped if some number is the process of
 * the stacks in the other column, but neither that of its own stacks nor the parent of that.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/processes.h"
#include "input/roles/raw_columns.h"
#include "util/text.h"

/*
 * Compares the numbers in a column of a map without BTF with live or recorded processes: are they
 * the processes that had the user stacks in another column? raw_rules.c draws the conclusions.
 */

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
};

/* Compares the columns FIRST and SECOND. */
struct raw_relation raw_evidence_relate(
	const struct raw_pairing *pairing, size_t first, size_t second);

#define RAW_CANDIDATES_MAX 16 /* columns that may be stack IDs */
#define RAW_HYPOTHESES_MAX 128
#define RAW_NUMBERS_MAX 256 /* columns that may be processes */

struct raw_process {
	bool shown;	 /* proven: the processes of PID or TID have code at the addresses */
	size_t pid, tid; /* columns; RAW_NONE: none is known, or none can be */
	bool either;	 /* no number of TID is known to be a thread's: they may be process IDs */
	size_t possible[RAW_NUMBERS_MAX], n_possible; /* columns to choose from, if none is known */
	bool matters;	 /* the user has to choose, because a user stack has addresses */
	struct text why; /* evidence for messages, or why it is not enough */
};

struct raw_candidate {
	size_t column;
	bool user, kernel; /* possible sides of all its stacks; both false: the sides are mixed */
	double chance;	   /* id_column_chance(); 0 for the only one, if a process had its stacks */
	bool dropped;	   /* excluded: it is a process, or its stacks are of another process */
	struct raw_process process; /* process of its user stacks */
	size_t comm;		    /* offset of the comm in rows; RAW_NONE: none */
};

struct raw_hypothesis {
	struct raw_roles roles;
	const struct raw_candidate *first, *second; /* stacks; if two, user and kernel stacks */
	size_t number;				    /* in the order of discovery, from 1 */
	double weakness; /* sum of the chances that it implies; refuted ones have the highest */
	bool refuted;
};

struct raw_rules {
	const struct raw_columns *columns;
	const struct input_processes *processes;
	size_t value_comm; /* offset of the value's comm in rows, if its layout is known; RAW_NONE */
	size_t key_text;   /* column of the only text, if VALUE_COMM is unknown; RAW_NONE: none */
	size_t key_comm;   /* KEY_TEXT if it has the name of a process, or processes are unknown */
	struct raw_candidate candidates[RAW_CANDIDATES_MAX];
	size_t n_candidates;
	struct raw_hypothesis all[RAW_HYPOTHESES_MAX]; /* the likeliest first, the refuted last */
	size_t n, n_open;			       /* all of them; not refuted */
};

/*
 * Finds candidates and hypotheses. The first two members of RET are set, the rest is zero-filled.
 * The caller deinitializes it.
 */
void raw_rules_find(struct raw_rules *ret);
void raw_rules_deinit(struct raw_rules *rules);
/* Returns the only hypothesis that is not refuted, or NULL if it may be due to chance. */
const struct raw_hypothesis *raw_rules_taken(const struct raw_rules *rules);
