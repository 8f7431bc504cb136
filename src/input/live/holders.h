/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the processes that hold maps of the running kernel: by a descriptor of the map, or of a
 * program or link that uses it, as in /proc/PID/fdinfo (proc(5): "map_id:\t12", "prog_id:\t7").
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"
#include "util/vec.h"

struct live_ids VEC(uint32_t);

struct live_holder {
	int64_t pid;
	uint32_t map;	/* map ID */
	uint64_t start; /* start time of the process, in clock ticks since boot; 0: unknown */
	char comm[64];
};

/* In the order in which the directory PROC_ROOT lists the processes. */
struct live_holders VEC(struct live_holder);

void live_ids_deinit(struct live_ids *ids);
void live_holders_deinit(struct live_holders *holders);
/*
 * Finds the IDs of the maps that program ID uses. Stores its name in RET_NAME (BPF_OBJ_NAME_LEN + 1
 * bytes) unless that is NULL. Returns 0 or an errno.
 */
int live_program_maps(uint32_t id, char *ret_name, struct live_ids *ret);
/* Finds the processes that hold maps, except this one. PROC_ROOT is "/proc". */
void live_holders_find(const char *proc_root, struct live_holders *ret);
/* Returns the age of the process in seconds. */
uint64_t live_holder_age(const struct live_holder *holder);
/* Adds "profile 4711, 3 min" to TEXT: comm, PID and age of the process. */
void live_holder_add(const struct live_holder *holder, struct text *text);
/*
 * Adds the first process that holds the map with ID MAP, as above, and how many more do. Returns
 * false, and adds nothing, if no process holds it.
 */
bool live_holders_add(const struct live_holders *holders, uint32_t map, struct text *text);
