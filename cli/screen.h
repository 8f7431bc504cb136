/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal while rounds of --top are shown: the lines that fit, one below the other, and one
 * line of messages. Lines that are too wide are cut in the middle of their names. It is drawn anew
 * if its size changes, and q ends the rounds.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <termios.h>

struct screen {
	int tty; /* for keys */
	struct termios before;
	sigset_t mask;		/* of signals, before; SIGWINCH is let in only while waiting */
	char *table, *messages; /* shown last; owned */
};

/* Lines of the screen that are no rows of the table: its heads, the rest, messages. */
enum { SCREEN_OTHER_LINES = 4 };

/* Takes keys one by one. RET must be zero-filled. Returns false if there is no terminal. */
bool screen_open(struct screen *ret);
/* Leaves the terminal as it was, with the cursor below what is shown. */
void screen_close(struct screen *screen);
/* Returns the size of the terminal, with at least SCREEN_OTHER_LINES + 1 lines. */
struct winsize screen_size(void);
/* Shows TABLE, which the second line has the headings of, and MESSAGES. Takes ownership of both. */
void screen_show(struct screen *screen, char *table, char *messages);
/* Takes keys, and draws anew if the size may have changed. Returns false if q was pressed. */
bool screen_wake(void *screen);
