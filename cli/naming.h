/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that choose how functions are called, as an argp child of options.c. */
#pragma once

#include <argp.h>

#include "options.h"
#include "value.h"

extern const struct argp naming_argp;
extern const struct choices naming_choices[];
