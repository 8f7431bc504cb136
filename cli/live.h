/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options about maps of the running kernel. */
#pragma once

#include <stdbool.h>

#include "options.h"

extern const struct option_row live_rows[];

/* Whether a map of the running kernel is asked for. */
bool live_wanted(const struct options *options);
/* Points options->input.live at what was collected; ends the program if options contradict. */
void live_finish(struct options *options, struct argp_state *state);
