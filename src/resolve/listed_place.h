/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in files named by lists and texts. */
#pragma once

#include <stdint.h>

#include "model/stack.h"
#include "object/object_cache.h"
#include "resolve/lookup.h"
#include "resolve/named_start.h"

/*
 * Returns the place of VALUE, whose base FILE gives; never NULL. PID is its process, -1: unknown.
 * EXACT: VALUE is not a return address.
 */
struct place *listed_place(const struct lookup *lookup, struct named_starts *starts, int64_t pid,
	const struct stack_file *file, uint64_t value, bool exact);
/* Returns the file of -e for MODULE (NAME.ko), or for "" the kernel's (vmlinux…); NULL: none. */
struct object *listed_kernel_file(struct object_cache *cache, const char *module);
