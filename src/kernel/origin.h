/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose kernel saved symbols are. */
#pragma once

#include "kernel/kernel.h"

/*
 * True if the given file of kallsyms was saved on another system, or in an earlier boot: the functions
 * that this kernel shows stand elsewhere in it, or, with addresses hidden here, not at all.
 */
bool kernel_saved_elsewhere(struct kernel *kernel);
