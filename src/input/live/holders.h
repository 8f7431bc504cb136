/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processes hold the maps of the running kernel: by descriptors of a map, or of a program or
 * link that uses it, as /proc/PID/fdinfo says (proc(5): "map_id:\t12", "prog_id:\t7").
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"
#include "util/vec.h"

struct live_ids {
	struct VEC(uint32_t) all;
};

struct live_holder {
	int64_t pid;
	uint32_t map;
	uint64_t start; /* of the process, clock ticks since boot; 0: unknown */
	char comm[64];
};

/* In order of the processes' directories. Zero-filled is empty. */
struct live_holders {
	struct VEC(struct live_holder) all;
};

void live_ids_deinit(struct live_ids *ids);
void live_holders_deinit(struct live_holders *holders);
/*
 * Finds the maps that program ID uses, and its name unless RET_NAME (BPF_OBJ_NAME_LEN + 1 bytes) is
 * NULL. Returns 0, or an errno.
 */
int live_program_maps(uint32_t id, char *ret_name, struct live_ids *ret);
/* Finds the processes below PROC_ROOT, but not this one. */
void live_holders_find(const char *proc_root, struct live_holders *ret);
/* The age of the process, in seconds. */
uint64_t live_holder_age(const struct live_holder *holder);
/* Adds "profile 4711, 3 min" to TEXT: the comm, ID and age of a process. */
void live_holder_add(const struct live_holder *holder, struct text *text);
/*
 * The same for those that hold MAP, the first of them by name; false, and adds nothing, if none
 * does.
 */
bool live_holders_add(const struct live_holders *holders, uint32_t map, struct text *text);
