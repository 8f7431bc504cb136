/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols of the kernel, its modules and their build IDs. */
#pragma once

#include "record/state.h"

/* Writes kallsyms, modules and their build IDs. */
void record_kernel(struct record_state *state);
