/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends streams by signals. The first SIGINT or SIGTERM ends the input; what was read is resolved
 * and printed. After SIGTERM, or a second SIGINT, resolving is cut short, so that the program ends
 * within a second.
 */
#pragma once

#include <stdbool.h>

/* Begins to catch signals. After the first one standard input is at its end. */
void ending_catch(void);
/*
 * Notes that resolving of addresses begins or ends. If it goes on although stop_asked(), the
 * program ends, so all output must have been flushed.
 */
void ending_resolves(bool resolves);
/* Returns STATUS; after SIGTERM, or SIGINT if something was left out, ends by that signal. */
int ending_status(int status);
