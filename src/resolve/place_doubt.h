/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Evidence from a process and its code that a name may be wrong, and remedies for missing names.
 */
#pragma once

#include "model/frame.h"
#include "resolve/place.h"

/* Whether the process that was found is the sample's, in the same state. */
enum process_match {
	MATCH_SAME,
	MATCH_LATER,	  /* started after the sample */
	MATCH_UNKNOWN,	  /* unknown: output of an earlier run does not have the start time */
	MATCH_UNFOLLOWED, /* mappings were read before the sample, and changes are not followed */
	MATCH_MOVED,	  /* the mapping changed since the sample, or may have */
	MATCH_EARLY,	  /* the sample may be older than this run */
	MATCH_ENDED,	  /* the recording does not cover the sample's time */
	MATCH_BEFORE,	  /* the recording begins after the sample */
	MATCH_UNHEARD,	  /* lost events may include an exec, a new process or a new mapping */
	MATCH_CAME,	  /* the program is unknown, because the process was not recorded yet */
	MATCH_RENAMED,	  /* other name in the sample, at an address that other programs use too */
	MATCH_OTHER,	  /* another process: the start times differ */
	MATCH_CHANGED,	  /* no thread has the sample's name: explains an unmapped address */
};

struct taken place_taken(const struct sample *sample);
enum process_match place_match_process(struct places *places, const struct space *space,
	const struct sample *sample, uint64_t address);
/* Marks the names of PLACE as uncertain for this reason. */
void place_doubt_process(struct place *place, enum process_match match);
/*
 * Returns false if no thread of the sample's process has the sample's name: it may have run another
 * program at that time, or have been another process.
 */
bool place_comm_fits(struct places *places, const struct sample *sample);
/*
 * Marks PLACE as uncertain if the process's code differs from OBJECT's file at OFFSET, ignoring
 * uprobes. For use without a build ID only.
 */
void place_compare_code(struct places *places, const struct space *space,
	const struct object *object, uint64_t offset, struct place *place);
/* Returns true if the page at ADDRESS, anonymous memory, equals the file's. */
bool place_same_page(const struct space *space, const struct object *object, uint64_t address,
	uint64_t file_offset);
/* Marks LOCATION as uncertain if PLACE, a caller's, is not a return address. */
void place_doubt_caller(const struct place *place, struct location *location);

/*
 * Returns a better remedy than that of STATUS for an unnamed address of a process, or NULL. MAPPING
 * may be NULL.
 */
const char *place_fix(
	const struct space *space, const struct mapping *mapping, enum frame_status status);
