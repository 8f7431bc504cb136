/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the explanation of --explain. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "input/input.h"

/* Prints EXPLANATION as text, or with JSON as one object per line. */
void explain_print(const struct explanation *explanation, bool json, FILE *file);
