/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reasons against a name that the process and its code give, and what would help where there is
 * none.
 */
#pragma once

#include "model/frame.h"
#include "process/space.h"
#include "process/space_stream.h"
#include "resolve/place.h"

/* Whether the process is the sample's. */
enum whose {
	WHOSE_OWN,
	WHOSE_LATER,	  /* it started after the sample */
	WHOSE_UNKNOWN,	  /* of output that was read back and does not say */
	WHOSE_UNFOLLOWED, /* its mappings were read before the sample, and not since */
	WHOSE_MOVED,	  /* what was mapped there changed since the sample, or may have */
	WHOSE_ENDED,	  /* the recording says nothing of the sample's time */
	WHOSE_UNHEARD, /* events were lost, which may tell that it is another, or has other mappings */
	WHOSE_CAME,    /* it is not known what it ran before it was recorded */
	WHOSE_RENAMED, /* the sample has another name, and other programs have code there too */
	WHOSE_OTHERS,
	WHOSE_CHANGED, /* no thread has its name, which says why the address is not mapped */
};

struct taken place_taken(const struct sample *sample);
enum whose place_whose(struct places *places, const struct space *space,
	const struct sample *sample, uint64_t address);
/* Doubts the names of PLACE for that reason. */
void place_doubt_whose(struct place *place, enum whose whose);
/*
 * False: no thread of the sample's process has the sample's name, so that it may have run another
 * program then, or have been another process.
 */
bool place_comm_fits(struct places *places, const struct sample *sample);
/*
 * Doubts the names of code that the process has otherwise than OBJECT's file at OFFSET, which
 * PLACE's address is; bytes that uprobes put there aside. Only where no build ID tells.
 */
void place_compare_code(struct places *places, const struct space *space,
	const struct object *object, uint64_t offset, struct place *place);
/* The same for a page that was anonymous memory: true if it has the file's bytes. */
bool place_same_page(const struct space *space, const struct object *object, uint64_t address,
	uint64_t file_offset);
/* Doubts LOCATION's names if PLACE, a caller's, is no return address. */
void place_doubt_caller(const struct place *place, struct location *location);

/*
 * What would help where the address of a process has no name and STATUS alone does not tell it
 * best; NULL: it does. MAPPING: NULL where there is none.
 */
const char *place_fix(
	const struct space *space, const struct mapping *mapping, enum frame_status status);
