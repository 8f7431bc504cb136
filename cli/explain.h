/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints what --explain found out about the input. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>

#include "input/input.h"

/* As text, or with JSON as one object a line. */
void explain_print(const struct explanation *explanation, bool json, FILE *file);

#endif
