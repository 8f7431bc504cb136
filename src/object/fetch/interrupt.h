/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Catches Ctrl-C (SIGINT) as an event. The first one while it is caught is reported; the second
 * ends the program.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

struct interrupt {
	int fd;	       /* signalfd, readable after SIGINT; -1: not caught */
	sigset_t mask; /* the program's signal mask to restore, valid while FD is not -1 */
	bool seen;     /* the first SIGINT was received: the next one ends the program */
};

void interrupt_init(struct interrupt *interrupt);
/* Blocks SIGINT from here on, unless the program ignores it or one was seen before. */
void interrupt_catch(struct interrupt *interrupt);
/* Restores the handling of SIGINT. One that is pending takes effect now. */
void interrupt_release(struct interrupt *interrupt);
/* Returns true if SIGINT was received since interrupt_catch(). The next one ends the program. */
bool interrupt_seen(struct interrupt *interrupt);
