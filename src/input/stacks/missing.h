/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Remedies for stack IDs that are in no stack map. */
#pragma once

#include "input/lists/addresses.h"
#include "input/stacks/stack_index.h"

/*
 * The order in which counts and stacks were dumped; unknown for several files on the command line.
 */
enum missing_order { MISSING_ORDER_UNKNOWN, MISSING_COUNTS_FIRST, MISSING_STACKS_FIRST };

/* Remedies by side of the ID: constants, or NULL for that of stack_state_fix(). */
struct missing {
	const char *fix[SIDE_COUNT];
};

/* Returns the remedy for the IDs of one side, which were counted in VOTES. */
const char *missing_fix(const struct stack_votes *votes, enum missing_order order);
/* Returns the remedy for IDs in events that are newer than the dump of the stack map. */
struct missing missing_in_events(void);
/* Returns the remedy for IDs that are looked up in live maps while events arrive. */
const char *missing_fix_live(void);
