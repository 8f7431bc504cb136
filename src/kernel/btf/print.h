/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C prototypes from BTF. */
#pragma once

#include "kernel/btf/btf.h"
#include "util/text.h"

/*
 * Adds the prototype of the function ID, "int vfs_open(const struct path *path, struct file
 * *file)", not escaped. What is nested or long beyond reason ends in "...". False, and nothing
 * added: ID is no function.
 */
bool btf_print_function(const struct btf *btf, uint32_t id, struct text *text);
