// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/stop.h"

#include <signal.h>

/* A signal is sent to the whole process, so one flag is enough. */
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
