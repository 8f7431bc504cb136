/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions by name: where those begin that a word names, in a file, a process or the kernel. */
#pragma once

#include <stdint.h>

#include "kernel/kernel.h"
#include "model/frame.h"
#include "resolve/place.h"
#include "resolve/targets.h"
#include "util/vec.h"

/* Where the functions of a name are: ascending, each once. Zero-filled is empty. */
#define SYMBOL_ADDRESSES_MAX 1024
struct symbol_addresses {
	struct VEC(uint64_t) all;
	uint64_t more;	      /* how many were left out */
	uint64_t first;	      /* of ALL of a file: that of the first symbol in its tables */
	uint32_t first_order; /* of that symbol */
};
/* What is asked; nothing of it is owned. */
struct lookup {
	struct places *places;
	struct targets *targets;
	struct kernel *kernel;
	bool no_short; /* short names lead nowhere */
};

/*
 * Adds to RET where WORD leads in the kernel, in OBJECT, or in process PID: FRAME_NAMED, or why it
 * leads nowhere. FRAME_OUTSIDE_SYMBOLS: all was looked at.
 */
enum frame_status lookup_in_kernel(
	const struct lookup *lookup, const char *word, struct symbol_addresses *ret);
enum frame_status lookup_in_object(const struct lookup *lookup, struct object *object,
	const char *word, struct symbol_addresses *ret);
enum frame_status lookup_in_process(
	const struct lookup *lookup, int64_t pid, const char *word, struct symbol_addresses *ret);
