/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What bpftool prints of the maps, programs, BTF objects or links that there are, given in place of
 * a dump (tools/bpf/bpftool/map.c, prog.c, btf.c, link.c):
 *
 *	25: hash  name counts  flags 0x0
 *		key 28B  value 8B  max_entries 4096  memlock 427072B
 *	415: raw_tracepoint  name on_syscall  tag c499697cf06d7e14  gpl
 *		xlated 3792B  jited 2326B  memlock 4096B  map_ids 25,26
 *	334: name <anon>  size 6418B  prog_ids 415  map_ids 25,26
 *	7: tracing  prog 415
 *
 * and the same as JSON objects. Nothing of it can be used, but it says which map to dump.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/dump.h"
#include "util/vec.h"

#define LISTING_MAX 4096 /* objects that are looked at */

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
	enum listed_map type; /* LISTING_MAPS */
	uint64_t id;
	uint64_t map;  /* the first that a program or BTF object has; 0: none */
	uint64_t prog; /* of a link; 0: none */
};

struct listing {
	struct VEC(struct listed) all; /* of one kind */
	char *position;		       /* of the first */
};

/* What a map called so in bpftool's lists ("lru_percpu_hash") can hold. */
enum listed_map listing_map_type(struct scan name);
/* Zero-filled is empty. */
void listing_deinit(struct listing *listing);
/* Adds an object that stands at POSITION ("FILE:LINE"). */
void listing_add(struct listing *listing, const struct listed *listed, const char *position);
/* Says what it is, and what to do instead; forgets it. Nothing is said of an empty one. */
void listing_report(struct listing *listing, struct dump *dump);

/*
 * What the listing is of that LINE starts. One of maps starts a listing only if the next line is
 * indented.
 */
enum listing_kind listing_starts(struct scan line);
/* Reads the listing that the source stands at, as text. */
void listing_read(struct dump *dump);
