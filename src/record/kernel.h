/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records the kernel's symbols, its modules and their build IDs. */
#pragma once

#include "record/state.h"

/* Writes kallsyms, modules, addresses of their sections, and build IDs. */
void record_kernel(struct record_state *state);
