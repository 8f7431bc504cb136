/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints what --explain found out about the input. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "input/input.h"

/* As text, or with JSON as one object a line. */
void explain_print(const struct explanation *explanation, bool json, FILE *file);
