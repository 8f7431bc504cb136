/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which column of a map without BTF is the process that its user stacks are of. Each number is
 * asked about, and what the numbers say is added up: one process that became another program, or
 * one number that is used again, speaks for itself only.
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
 */
#pragma once

#include "input/roles/raw_evidence.h"
#include "input/roles/raw_roles.h"
#include "util/text.h"

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

/* ROLES has the columns of the stacks, one of them of the user's side. RET is zero-filled. */
void raw_process_find(const struct raw_columns *columns, const struct input_processes *processes,
	const struct raw_roles *roles, struct raw_comm comm, struct raw_process *ret);
void raw_process_deinit(struct raw_process *process);
