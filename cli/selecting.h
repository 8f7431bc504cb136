/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options about which stacks and frames are printed, as a child of the command line's parser. */
#pragma once

#include <argp.h>

#include "options.h"
#include "value.h"

/* Its input is a struct options. */
extern const struct argp selecting_argp;
extern const struct choices selecting_choices[];

/* Points options->select at what was collected; ends the program if options contradict. */
void selecting_finish(struct options *options, struct argp_state *state);
