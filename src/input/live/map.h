/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BPF maps of the running kernel: finding them, and what they are. */
#pragma once

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "input/live/spec.h"
#include "util/error.h"
#include "util/vec.h"

/* As the kernel's type says. */
enum live_kind {
	LIVE_STACKS, /* BPF_MAP_TYPE_STACK_TRACE */
	LIVE_COUNTS, /* hashes and arrays, per CPU or not; queues and stacks */
	LIVE_MAPS,   /* its entries are maps: array_of_maps, hash_of_maps */
	LIVE_EVENTS, /* ring buffer or perf event array: cannot be read like a map */
	LIVE_OTHER,  /* holds nothing that is counted */
};

struct live_map {
	int fd; /* owned */
	char name[BPF_OBJ_NAME_LEN + 1];
	char *label; /* for messages: "map 12 (counts)"; owned */
	enum live_kind kind;
	uint32_t id, type; /* type: enum bpf_map_type */
	uint32_t key_size, value_size, max_entries;
	uint32_t flags;			       /* BPF_F_… of its creation */
	uint32_t btf_id, key_type, value_type; /* 0: no BTF; types in the BTF object btf_id */
	bool is_array;			       /* its elements cannot be deleted */
	bool per_cpu;
	bool automatic; /* one of a program's maps, not named itself */
	bool is_inner;	/* found in one of LIVE_MAPS */
	bool is_queue;	/* or a stack: without keys, and reading an entry removes it */
};

struct live_maps {
	struct VEC(struct live_map) all;
};

/* Closes the map, if it is open. */
void live_map_deinit(struct live_map *map);
/* Zero-filled is empty. Closes the maps. */
void live_maps_deinit(struct live_maps *maps);
/*
 * Adds the map or maps that SPEC (of OPTION) means, each only once; processes are those below
 * PROC_ROOT. The error says that there is none, which IDs an ambiguous name has and who holds them,
 * or what privilege is missing.
 */
struct error *live_maps_find(const struct live_spec *spec, const char *option,
	const char *proc_root, struct live_maps *maps) must_check;
/* Opens the map with this ID. One that is gone has no descriptor (-1), and is no error. */
struct error *live_map_open(uint32_t id, const char *option, struct live_map *ret) must_check;
/* Adds MAP, which is taken over. Returns false, and closes it, if it is among MAPS. */
bool live_maps_add(struct live_maps *maps, struct live_map *map);
/*
 * Adds to MAPS what its maps of maps hold now, each map once, and drops what was added so before
 * and is not in them any more. The error says that there are too many, or what the kernel refused.
 */
struct error *live_maps_follow(struct live_maps *maps) must_check;
/* "hash", "ringbuf", …, as bpftool has them. */
const char *live_map_type_name(const struct live_map *map);
