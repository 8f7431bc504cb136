/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that select stacks and frames to print. */
#pragma once

#include "options.h"

extern const struct option_row selecting_rows[];

/* Points options->select to the collected values. Ends the program if options contradict. */
void selecting_finish(struct options *options, struct argp_state *state);
