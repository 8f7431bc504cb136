/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options about which stacks and frames are printed. */
#pragma once

#include "options.h"

extern const struct option_row selecting_rows[];

/* Points options->select at what was collected; ends the program if options contradict. */
void selecting_finish(struct options *options, struct argp_state *state);
