// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/dump.h"

struct error *dump_goes_live(struct dump *dump)
{
	if (!dump->live)
		return NULL;
	dump->live = false;
	return collector_stacks_complete(dump->collector);
}
