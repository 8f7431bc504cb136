/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The request to end the run. Every loop that input can make long checks it, and leaves the rest
 * undone. Partly read data gives no names: what is unresolved by then is FRAME_INTERRUPTED.
 */
#pragma once

#include <stdbool.h>

/* Requests the end of the run. It cannot be revoked. Safe in signal handlers. */
void stop_ask(void);
bool stop_asked(void);
