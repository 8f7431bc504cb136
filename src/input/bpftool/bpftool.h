/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the plain text that bpftool prints for maps without BTF (tools/bpf/bpftool/map.c, and
 * fprint_hex() in main.c): two digits per byte, two spaces after 8 bytes, a newline after 16.
 *
 *	25: hash  name counts  flags 0x0        only if a name matches several maps
 *	key: 01 00 00 00  value: 05 00 00 00 00 00 00 00
 *	key:                                    key and value have more than 24 bytes in all
 *	01 00 00 00
 *	value (CPU 00): 05 00 00 00 00 00 00 00
 *	value:
 *	<no entry>                              has vanished; or an error message
 *	inner_map_id: 27                        instead of the value, if it is a map
 *	Found 2 elements
 *	Not found                               from map lookup
 *	value: 05 00 00 00                      without key, from map peek, pop and dequeue
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "input/dump.h"
#include "util/error.h"
#include "util/vec.h"

/* Returns true if LINE starts a dump of this kind. */
bool bpftool_text_starts(struct scan line);
/* Reads the map at the source's `at`, up to its "Found" line or to a line of another kind. */
void bpftool_text_read(struct dump *dump);
/*
 * Reads "key: 80 85 …  value: <no entry>", in one or more lines, at the source's `at`. Passes the
 * error to the collector. Returns false if the source ends too early.
 */
bool bpftool_text_read_failed(struct dump *dump);

/*
 * Reads the JSON of bpftool, and the near-JSON that it prints by default for maps with BTF
 * (tools/bpf/bpftool/map.c, map_perf_ring.c):
 *
 *	[{"key":["0x01",…],"value":["0x05",…],"formatted":{"key":{"pid":1},"value":5}},…]
 *	[{"key":["0x01",…],"values":[{"cpu":0,"value":["0x05",…]},…]},…]
 *	[{"key":["0x01",…],"value":{"error":"No such file or directory"}},…]
 *	[{"id":25,"type":"hash","name":"counts","flags":0,"elements":[…]},…]
 *	[{"key":["0x01",…],"value":["0x1b",…],"inner_map_id":27},…]
 *	[{"type":9,"cpu":1,"index":1,"timestamp":588718687085,"data":[177,28,…]},…]
 *	[{"type":2,"cpu":1,"index":1,"lost":{"id":1,"count":7}},…]
 *	{"key":…,"value":…}   {"error":"…"}
 *	{"key":[],"value":["0x05",…]}          from a queue or stack: map peek, pop and dequeue
 *
 * The members may come in any order.
 */

/* Reads the document at the source's `at`, which is a [ or {. The error is the sink's. */
struct error *bpftool_json_read(struct dump *dump) must_check;

/*
 * Reads the text of `bpftool map event_pipe` (tools/bpf/bpftool/map_perf_ring.c). Its JSON is read
 * by bpftool_json_read(). Example:
 *
 *	== @588.718687085 CPU: 1 index: 1 =====
 *	b1 1c 00 00 b1 1c 00 00  05 00 00 00
 *	lost 7 events
 *	unknown event type=3 size=40
 *
 * The kernel pads samples to 4 bytes more than a multiple of 8 (perf_prepare_sample()), so the last
 * row is never full. A short row therefore ends the event, which is passed on at once.
 */

/* Returns true if LINE starts an event, or reports lost or unknown ones. */
bool event_pipe_starts(struct scan line);
/* Reads events up to the first other line. The error is the sink's. */
struct error *event_pipe_read(struct dump *dump) must_check;

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
