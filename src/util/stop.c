// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/stop.h"

#include <signal.h>

/* A signal is the whole program's, and so is this. */
static volatile sig_atomic_t *flag(void)
{
	static volatile sig_atomic_t asked;

	return &asked;
}

void stop_ask(void)
{
	*flag() = 1;
}

bool stop_asked(void)
{
	return *flag();
}
