/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints C prototypes from BTF. */
#pragma once

#include "kernel/btf/btf.h"
#include "util/text.h"

/*
 * Adds the prototype of function ID, unescaped: "int vfs_open(const struct path *path, struct file
 * *file)". Parts that are nested too deeply or too long are replaced by "...". Returns false, and
 * adds nothing, if ID is not a function.
 */
bool btf_print_function(const struct btf *btf, uint32_t id, struct text *text);
