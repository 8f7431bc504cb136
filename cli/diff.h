/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of `stack2line diff` alone. */
#pragma once

#include <argp.h>

#include "options.h"
#include "value.h"

extern const struct choices diff_choices[];
extern const struct argp diff_argp;

/* Makes the sides of the arguments; ends the program if options contradict. */
void diff_finish(struct options *options, struct argp_state *state);
