/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes did, as the columns of a block of a recording (man/stack2line-recording.5): what
 * stands in one field of many records is alike, and is packed well when it stands together. Strings
 * and what is the same in the mappings of equal programs stand once in a block.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/recording/event.h"
#include "process/recording/id_set.h"
#include "util/arena.h"
#include "util/scan.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

enum column {
	COLUMN_KINDS,	  /* enum recorded_kind, a byte each */
	COLUMN_PIDS,	  /* difference to the record before */
	COLUMN_TIMES,	  /* the same; the first is to 0 */
	COLUMN_OTHERS,	  /* FORK, THREAD: difference to the last other */
	COLUMN_COMMS,	  /* PROC, EXEC, COMM: number of the string */
	COLUMN_STRINGS,	  /* length and bytes of each */
	COLUMN_SHAPES,	  /* of mappings: five numbers each, see struct map_shape */
	COLUMN_MAPS,	  /* MAP: number of the shape */
	COLUMN_PLACES,	  /* MAP whose shape does not say: start / 4096 */
	COLUMN_PROCESSES, /* PROC: start time, mount namespace, number of the nspid; NS: namespace */
	COLUMN_LINES,	  /* text: pids and jit records */
	COLUMNS
};

/* Where the last mappings of a process began, the last first. */
enum { PLACES = 16 };
struct recent_maps {
	uint64_t starts[PLACES];
	size_t n;
};

/* What both sides of a block keep while it is written or read. */
struct columns_state {
	uint32_t pid, other;
	uint64_t time;
	struct table recent_by_pid; /* → index in recent */
	struct VEC(struct recent_maps) recent;
};

/* Zero-filled has no records. */
struct recorded_columns {
	struct text columns[COLUMNS];
	struct columns_state state;
	struct table strings, shapes; /* → number, from 1 */
	size_t records;		      /* events */
	uint64_t first;		      /* ns: the earliest of them */
	struct ids ids, others;	      /* of the records; parents and numbers in PID namespaces */
};

void recorded_columns_deinit(struct recorded_columns *columns);
void recorded_columns_add(struct recorded_columns *columns, const struct recorded_event *event);
/* Bytes that are kept. */
size_t recorded_columns_bytes(const struct recorded_columns *columns);
/* Adds the index and what is to be packed to two texts, and forgets all records. */
void recorded_columns_take(
	struct recorded_columns *columns, struct text *index, struct text *unpacked);

/* The events of a block, in the order of the recorder. */
struct recorded_block_events {
	struct VEC(struct recorded_event) all; /* OTHER of a mapping: the number of the file */
	struct scan lines;		       /* of COLUMN_LINES, in what was read */
	struct arena strings;
};

/* False: not what recorded_columns_take() makes. RET is to be deinitialized in any case. */
bool recorded_columns_read(struct scan unpacked, struct recorded_block_events *ret);
void recorded_block_events_deinit(struct recorded_block_events *events);
