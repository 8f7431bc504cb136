/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognizes bpftool's lists of maps, programs, BTF objects or links (tools/bpf/bpftool/map.c,
 * prog.c, btf.c, link.c), which users may pass instead of a dump. They are text like
 *
 *	25: hash  name counts  flags 0x0
 *		key 28B  value 8B  max_entries 4096  memlock 427072B
 *	415: raw_tracepoint  name on_syscall  tag c499697cf06d7e14  gpl
 *		xlated 3792B  jited 2326B  memlock 4096B  map_ids 25,26
 *	334: name <anon>  size 6418B  prog_ids 415  map_ids 25,26
 *	7: tracing  prog 415
 *
 * or JSON objects. They contain no stacks, but show which map to dump.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/dump.h"
#include "util/vec.h"

#define LISTING_MAX 4096 /* limit on objects; further ones are ignored */

enum listing_kind {
	LISTING_NONE,
	LISTING_MAPS,
	LISTING_PROGRAMS,
	LISTING_BTF,
	LISTING_LINKS,
};

enum listed_map {
	LISTED_OTHER,
	LISTED_COUNTS, /* a hash of any kind */
	LISTED_STACKS, /* stack_trace */
};

struct listed {
	enum listing_kind kind;
	enum listed_map type; /* for LISTING_MAPS */
	uint64_t id;
	uint64_t map;  /* ID of the first map of a program or BTF object; 0: none */
	uint64_t prog; /* ID of a link's program; 0: none */
};

struct listing {
	struct VEC(struct listed) all; /* all of the same kind */
	char *position;		       /* position of the first */
};

/* Returns what maps of the type NAME ("lru_percpu_hash", as bpftool prints it) can hold. */
enum listed_map listing_map_type(struct scan name);
void listing_deinit(struct listing *listing);
/* Adds an object found at POSITION ("FILE:LINE"). */
void listing_add(struct listing *listing, const struct listed *listed, const char *position);
/* Warns what the list is and what to dump instead, and clears it. Ignores an empty list. */
void listing_report(struct listing *listing, struct dump *dump);

/*
 * Returns the kind of the listing that LINE starts, or LISTING_NONE. For LISTING_MAPS, LINE may
 * also be the header of a dump: it starts a listing only if the next line is indented.
 */
enum listing_kind listing_starts(struct scan line);
/* Reads and reports the listing, in text form, at the source's `at`. */
void listing_read(struct dump *dump);

/*
 * The values of a dumped map of maps (array_of_maps, hash_of_maps), whose counts are in the inner
 * maps. bpftool 7.8 prints the ID of each inner map. Older versions (7.1) print it like any other
 * value.
 */
struct inner_maps {
	struct VEC(uint64_t) ids; /* the first INNER_MAPS_SHOWN distinct IDs */
	uint64_t more;		  /* number of entries with other IDs */
	char *position;		  /* position of the first entry */
};

#define INNER_MAPS_SHOWN 20

void inner_maps_deinit(struct inner_maps *maps);
/* Adds the inner map ID, the value of an entry at POSITION ("FILE:LINE"). */
void inner_maps_add(struct inner_maps *maps, uint64_t id, const char *position);
/* Warns at the end of the outer map which maps to dump instead, and clears MAPS. */
void inner_maps_report(struct inner_maps *maps, struct dump *dump);
