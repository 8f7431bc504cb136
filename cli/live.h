/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options for maps of the running kernel. */
#pragma once

#include <stdbool.h>

#include "options.h"

extern const struct option_row live_rows[];

/* Returns true if the options name a map of the running kernel. */
bool live_wanted(const struct options *options);
/* Points options->input.live to the collected values. Ends the program if options contradict. */
void live_finish(struct options *options, struct argp_state *state);
