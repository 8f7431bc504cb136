/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds functions by name in a file, a process or the kernel. */
#pragma once

#include <stdint.h>

#include "kernel/kernel.h"
#include "model/frame.h"
#include "resolve/place.h"
#include "resolve/targets.h"
#include "util/vec.h"

/* Start addresses of functions with one name: ascending, unique. */
#define SYMBOL_ADDRESSES_MAX 1024
struct symbol_addresses {
	struct VEC(uint64_t) all;
	uint64_t more;	      /* number of addresses left out */
	uint64_t first;	      /* in a file: address of the first such symbol in its tables */
	uint32_t first_order; /* position of that symbol */
};
/* What to search; nothing is owned. */
struct lookup {
	struct places *places;
	struct targets *targets;
	struct kernel *kernel;
	bool no_short; /* do not search for short names */
};

/*
 * Add the addresses of WORD in the kernel, in OBJECT, or in process PID to RET. Return FRAME_NAMED,
 * or the reason if there is none; FRAME_OUTSIDE_SYMBOLS: everything was searched.
 */
enum frame_status lookup_in_kernel(
	const struct lookup *lookup, const char *word, struct symbol_addresses *ret);
enum frame_status lookup_in_object(const struct lookup *lookup, struct object *object,
	const char *word, struct symbol_addresses *ret);
enum frame_status lookup_in_process(
	const struct lookup *lookup, int64_t pid, const char *word, struct symbol_addresses *ret);
