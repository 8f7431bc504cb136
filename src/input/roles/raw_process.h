/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which column of a map without BTF is the process that its user stacks are of. */
#pragma once

#include "input/processes.h"
#include "input/roles/raw_columns.h"
#include "input/roles/raw_roles.h"
#include "util/text.h"

enum raw_process_status {
	RAW_PROCESS_NONE, /* no number can be it, or no user stack has addresses */
	RAW_PROCESS_FOUND,
	RAW_PROCESS_UNPROVEN, /* some number may be it, and nothing shows that it is */
	RAW_PROCESS_TWO,      /* two numbers name different processes that both can have run */
};

struct raw_process {
	enum raw_process_status status;
	size_t pid, tid;			      /* columns; RAW_NONE: none */
	const char *evidence;			      /* of those */
	size_t possible[RAW_COLUMNS_MAX], n_possible; /* UNPROVEN, TWO: columns to choose from */
	struct text why; /* UNPROVEN, TWO: what speaks for and against each number */
};

/* ROLES has the columns of the stacks, one of them of the user's side. RET is zero-filled. */
void raw_process_find(const struct raw_columns *columns, const struct input_processes *processes,
	const struct raw_roles *roles, struct raw_comm comm, struct raw_process *ret);
void raw_process_deinit(struct raw_process *process);
