/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ctrl-C (SIGINT) as an event: the first while it is caught is told, a second ends the program.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

struct interrupt {
	int fd;	       /* readable when SIGINT has come; -1: not caught */
	sigset_t mask; /* of the program, while FD is not -1 */
	bool seen;     /* the first has come: from now on SIGINT ends the program */
};

void interrupt_init(struct interrupt *interrupt);
/* From here on SIGINT is held back, unless the program ignores it, or has seen one. */
void interrupt_catch(struct interrupt *interrupt);
/* SIGINT is again what it was before; one that was not handled takes effect now. */
void interrupt_release(struct interrupt *interrupt);
/* True if SIGINT has come since interrupt_catch(); the next will end the program. */
bool interrupt_seen(struct interrupt *interrupt);
