/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks whether saved symbols are of the running kernel. */
#pragma once

#include "kernel/kernel.h"

/*
 * Returns true if the file of --kallsyms was saved on another system or in an earlier boot: most
 * functions of the running kernel have other addresses in it or, if addresses are hidden here, are
 * missing.
 */
bool kernel_saved_elsewhere(struct kernel *kernel);
