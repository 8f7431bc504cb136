// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/stacks/missing.h"

const char *missing_fix(const struct stack_votes *votes, enum missing_order order)
{
	if (votes->ids && !votes->found)
		return "none of the IDs is in it: pass the stack map that holds these stacks";
	switch (order) {
	case MISSING_STACKS_FIRST:
		return "dump the counts before the stacks, and pass every stack map";
	case MISSING_COUNTS_FIRST:
		return "pass every stack map, and let no program delete stacks between the "
		       "dumps";
	case MISSING_ORDER_UNKNOWN:
		break;
	}
	return "dump the counts first and every stack map right after them, and let no program "
	       "delete stacks in between";
}

struct missing missing_in_events(void)
{
	static const char fix[] = "read the stack map as the events come: --map with --events";

	return (struct missing){{fix, fix, fix}};
}

const char *missing_fix_live(void)
{
	return "pass every stack map with --map, and let no program delete stacks meanwhile";
}
