/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in the files that lists and texts name. */
#pragma once

#include <stdint.h>

#include "model/stack.h"
#include "object/object_cache.h"
#include "resolve/lookup.h"
#include "resolve/named_start.h"

/*
 * The place of VALUE, which counts as FILE says; PID is its process, -1: unknown. EXACT: it is
 * looked up at VALUE itself, which is no return address. Never NULL.
 */
struct place *listed_place(const struct lookup *lookup, struct named_starts *starts, int64_t pid,
	const struct stack_file *file, uint64_t value, bool exact);
/* The file of -e that is MODULE's (NAME.ko), or with "" the kernel's (vmlinux…). NULL: none is. */
struct object *listed_kernel_file(struct object_cache *cache, const char *module);
