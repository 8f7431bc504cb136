/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds and opens BPF maps of the running kernel. */
#pragma once

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/log.h"
#include "util/vec.h"

/*
 * How the command line selects maps: with bpftool's words
 *
 *	id:12   name:counts   pinned:/sys/fs/bpf/counts   prog:34/counts   prog:34
 *
 * or by the process that holds them: comm:profile   pid:4711
 */
enum live_spec_kind {
	LIVE_SPEC_ID,
	LIVE_SPEC_NAME,
	LIVE_SPEC_PINNED,
	LIVE_SPEC_PROG, /* maps that a program uses */
	LIVE_SPEC_COMM, /* maps that a process holds, and that its programs use */
	LIVE_SPEC_PID,
};

struct live_spec {
	enum live_spec_kind kind;
	uint32_t id;	  /* ID of the map or program, or PID */
	const char *name; /* NAME, PATH, COMM, or the map's name in PROG (NULL: all of its maps) */
};

/* Parses TEXT; RET points into it. Other forms are an ERROR_USAGE that begins with OPTION. */
struct error *live_spec_parse(
	const char *text, const char *option, struct live_spec *ret) must_check;

/* Determined by the kernel's map type, and LIVE_HASHED by entries. */
enum live_kind {
	LIVE_STACKS, /* BPF_MAP_TYPE_STACK_TRACE */
	LIVE_HASHED, /* stacks of bpftrace 0.21 to 0.24 (input/roles/bpftrace_stack.h) */
	LIVE_COUNTS, /* hashes and arrays, per CPU or not; queues and stacks */
	LIVE_MAPS,   /* maps of maps: array_of_maps, hash_of_maps */
	LIVE_EVENTS, /* ring buffer or perf event array: cannot be read like a map */
	LIVE_OTHER,  /* has neither stacks nor counts */
};

struct live_map {
	int fd; /* owned */
	char name[BPF_OBJ_NAME_LEN + 1];
	char *label; /* for messages: "map 12 (counts)"; owned */
	enum live_kind kind;
	uint32_t id, type; /* TYPE: enum bpf_map_type */
	uint32_t key_size, value_size, max_entries;
	uint32_t flags;			       /* BPF_F_… with which it was created */
	uint32_t btf_id, key_type, value_type; /* its BTF object, and types in it; 0: no BTF */
	bool is_array;			       /* its elements cannot be deleted */
	bool per_cpu;
	bool automatic; /* found by its program or process, not named by the user */
	bool is_inner;	/* found in a map of maps */
	bool is_queue;	/* queue or stack: has no keys, and reading an entry removes it */
	size_t n_cpus;	/* values of an entry: one per possible CPU, 1 if not per-CPU; 0: unknown */
	size_t stride;	/* bytes from one of these values to the next */
};

struct live_maps VEC(struct live_map);

/* Returns the size of an entry's values on all CPUs, in bytes. */
static inline size_t live_map_value_bytes(const struct live_map *map)
{
	return map->n_cpus * map->stride;
}

/* Frees the label, and closes the map unless its fd is -1. */
void live_map_deinit(struct live_map *map);
void live_maps_deinit(struct live_maps *maps);
/*
 * Adds the map or maps that SPEC, the value of OPTION, selects, each once. Processes are looked up
 * in PROC_ROOT ("/proc"). The error says that there is no such map, which maps an ambiguous name
 * has and who holds them, or which privilege is missing.
 */
struct error *live_maps_find(const struct live_spec *spec, const char *option,
	const char *proc_root, struct live_maps *maps) must_check;
/* Opens the map ID. If it does not exist, sets ret->fd to -1 without an error. */
struct error *live_map_open(uint32_t id, const char *option, struct live_map *ret) must_check;
/*
 * Adds the maps that are now in the maps of maps of MAPS, each once, in place of those that earlier
 * calls added, and sets the kind of those that were empty. The error says that there are too many,
 * or what the kernel refused.
 */
struct error *live_maps_follow(struct live_maps *maps) must_check;
/* Returns the name of the map's type as in bpftool: "hash", "ringbuf", … */
const char *live_map_type_name(const struct live_map *map);

/* Estimates what a live map loses because it is too small, and the size that it needs. */

/*
 * Returns NUMBER rounded up to a power of two, at most 2^31. This is the number of buckets of a
 * stack map whose max_entries is NUMBER.
 */
uint64_t live_fill_power_of_two(uint64_t number);
/*
 * Returns the expected number of different stacks that were added if STACKS of BUCKETS buckets are
 * taken, assuming a uniform hash. Each stack that found its bucket taken was lost.
 */
double live_fill_expected(uint64_t stacks, uint64_t buckets);
/* Returns the max_entries, a power of two, with which fewer than 1 in 20 of STACKS collide. */
uint64_t live_fill_buckets(double stacks);
/*
 * Warns in LOG if MAP, which held ENTRIES different keys, was too small for all that were added.
 * CPUS is the number of possible CPUs: the kernel reserves entries of an LRU map for each.
 */
void live_fill_report(
	const struct live_map *map, uint64_t entries, unsigned int cpus, struct log *log);
