// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/stacks/missing.h"

const char *missing_fix(const struct stack_votes *votes, enum missing_order order)
{
	if (votes->ids && !votes->found)
		return "not one ID is in it: give the stack map that these stacks are put in";
	switch (order) {
	case MISSING_STACKS_FIRST:
		return "dump the counts before the stacks, and give every stack map";
	case MISSING_COUNTS_FIRST:
		return "give every stack map, and let nobody delete stacks between the dumps";
	case MISSING_ORDER_UNKNOWN:
		break;
	}
	return "dump the counts first and right after them every stack map, with nothing deleted in "
	       "between";
}

struct missing missing_in_events(void)
{
	static const char fix[] = "read the stack map as the events come: --map with --events";

	return (struct missing){{fix, fix, fix}};
}

const char *missing_fix_live(void)
{
	return "give every stack map with --map, and let nobody delete stacks meanwhile";
}
