/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the run is to end: every loop that input can make long looks here and leaves the rest undone.
 * What is half read then gives no names: see FRAME_INTERRUPTED.
 */
#pragma once

#include <stdbool.h>

/* For signal handlers too. It stays asked. */
void stop_ask(void);
bool stop_asked(void);
