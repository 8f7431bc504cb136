/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why stack IDs of counts are in no stack map, as far as it is known: what would help. */
#pragma once

#include "input/lists/addresses.h"
#include "input/stacks/stack_index.h"

/* In which order the dumps were made; that of several files on the command line says nothing. */
enum missing_order { MISSING_ORDER_UNKNOWN, MISSING_COUNTS_FIRST, MISSING_STACKS_FIRST };

/* By side of the ID; constants, NULL: stack_state_fix(). */
struct missing {
	const char *fix[SIDE_COUNT];
};

/* For the IDs of one side that VOTES counted. */
const char *missing_fix(const struct stack_votes *votes, enum missing_order order);
/* For the IDs of events, which come after the dump of the stack map. */
struct missing missing_in_events(void);
/* For IDs that are looked up in maps of the running kernel, as events come. */
const char *missing_fix_live(void);
