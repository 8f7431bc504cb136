/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a stream ends before its end: the first SIGINT or SIGTERM is its end, and all that came is
 * resolved and printed. With SIGTERM, and with a second SIGINT, what takes longer than a moment is
 * left out, so that a second is enough.
 */
#pragma once

#include <stdbool.h>

/* From here on; standard input is then at its end. */
void ending_catch(void);
/*
 * Whether addresses are being looked up: if that goes on although stop_asked(), the program ends.
 * What it has printed must have been flushed.
 */
void ending_resolves(bool resolves);
/* STATUS; does not return when SIGTERM came, or SIGINT and something was left out. */
int ending_status(int status);
