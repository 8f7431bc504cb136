/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the columns of a map without BTF are: stack IDs and of which side, the comm, the process. Each way in which
 * they can play these roles is a hypothesis; one is taken only if the others are refuted. A column
 *
 *	of which a number is in no stack map	is no stack ID, unless most are in one
 *	whose stacks are all of one side	is of that side; of both sides: a stack of either
 *	of numbers that all are in stack maps,	may be a stack ID or another number; it is one
 *	as any number might be by chance	where a process shows that it had those stacks
 *	that is the process of another's stacks	is no stack ID
 *	of text of 16 bytes			is the comm, if processes with the stacks have it, or
 *						none is known, no other text is there, and some
 *						process has such a name
 *
 * Whose the user stacks are is asked of each number of each other column
 * (input/roles/raw_evidence.h), and what the numbers say is added up: one process that became
 * another program, or one number that is used again, speaks for itself only.
 *
 *	a number ...				as the process or thread	as the parent of who ran
 *	has code at the addresses (random	supports			open
 *	places, or under the comm)
 *	... and has had no child, or is a	supports			refutes
 *	thread that is no process
 *	... and so has a child			open				supports
 *	has code where others may have some	open				open
 *	lives, and has no code there		speaks against			open
 *	has ended				open				open
 *	is 0, beside addresses			refutes				refutes
 *
 * A column is the process where more numbers support it than speak against it, and it is refuted
 * that they are parents. So is one that agrees with such a column, or with the threads in stack
 * words of bpftrace. Of two columns with different processes one is taken that fits wherever the
 * other one does, and elsewhere too.
 *
 * A hypothesis is refuted by one that has a stack more which is no chance, and by one that has
 * no chance in it where the same sides are there. Two columns of stacks of one side leave it
 * open which ones are meant, unless a number is the process of those in one column, and neither
 * of those in the other one nor the parent of their process.
 */
#pragma once

#include "input/roles/raw_evidence.h"
#include "util/text.h"

#define RAW_CANDIDATES_MAX 16 /* columns that can be stack IDs */
#define RAW_HYPOTHESES_MAX 128
#define RAW_NUMBERS_MAX 256 /* columns whose processes are looked for */

enum raw_process_status {
	RAW_PROCESS_NONE, /* no number can be it, or no user stack has addresses */
	RAW_PROCESS_FOUND,
	RAW_PROCESS_UNPROVEN, /* some number may be it, and nothing shows that it is */
	RAW_PROCESS_TWO,      /* two numbers name different processes that both can have run */
};

struct raw_process {
	enum raw_process_status status;
	bool shown;	 /* FOUND: processes have code at the addresses */
	size_t pid, tid; /* columns; RAW_NONE: none */
	bool either;	 /* the numbers of TID may be those of processes: some have ended */
	size_t possible[RAW_NUMBERS_MAX], n_possible; /* UNPROVEN, TWO: columns to choose from */
	struct text why; /* what speaks for it; UNPROVEN, TWO: and against each number */
};

struct raw_candidate {
	size_t column;
	bool user, kernel; /* the sides that all of its stacks can be of; none: they are mixed */
	double chance; /* that its numbers are others, to 1; 0: a process shows that it had the stacks */
	bool dropped; /* it is a process, or a process shows that it is not its stack */
	struct raw_process process; /* of its user stacks */
	struct raw_comm comm;
	size_t comm_column;
};

struct raw_hypothesis {
	struct raw_roles roles;
	const struct raw_candidate *first,
		*second; /* the stacks; where there are two, the user's first */
	size_t number;	 /* in the order in which they were found */
	double weakness; /* how much has to be chance */
	bool refuted;
};

struct raw_rules {
	const struct raw_columns *columns;
	const struct input_processes *processes;
	struct raw_comm value_comm; /* in the value, where its layout is known */
	size_t key_text; /* the only text, where that in the value is not known; RAW_NONE: none */
	size_t key_comm; /* the same, if some process has such a name, as far as these are known */
	struct raw_candidate candidates[RAW_CANDIDATES_MAX];
	size_t n_candidates;
	struct raw_hypothesis all[RAW_HYPOTHESES_MAX]; /* the likeliest first; some are refuted */
	size_t n, n_open;			       /* not refuted */
};

/* RET is zero-filled but for its first three members, and is to be deinitialized in any case. */
void raw_rules_find(struct raw_rules *ret);
void raw_rules_deinit(struct raw_rules *rules);
/* The only hypothesis that is not refuted, if no chance is in it; NULL: there is none. */
const struct raw_hypothesis *raw_rules_taken(const struct raw_rules *rules);
