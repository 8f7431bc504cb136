/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answers of readers. Cuts names beyond the length limit (model/frame.h): names in a file may
 * overlap, so a few megabytes of strings can contain many thousands of long names, and only a
 * limited part of each is read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "debug/debug.h"
#include "model/frame.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

/* The answer of a debug info reader (DWARF, Go) for one address. */

/* The names of a function. Strings live as long as the reader. */
struct names {
	const char *name;    /* DW_AT_name, NULL if none */
	const char *linkage; /* DW_AT_linkage_name, NULL if none */
	/* If this is a lambda's operator(): source position of the lambda. 0 if unknown. */
	uint32_t closure_line, closure_column;
};

static inline void names_set(struct frame *frame, const struct names *names)
{
	frame->function = names->name;
	frame->linkage = names->linkage;
	frame->closure_line = names->closure_line;
	frame->closure_column = names->closure_column;
}

struct reader_answer {
	/*
	 * Innermost first, at least one. `function` is DW_AT_name and `linkage` DW_AT_linkage_name,
	 * each NULL if DWARF has none. `offset` is not set.
	 */
	struct frame *frames;
	size_t n_frames;
	bool has_function; /* the last frame is a function that the reader knows */
	uint64_t entry;	   /* entry point of that function (ELF address) */
	/* Without a function: start of the unit's code around the address, 0 if unknown. */
	uint64_t unit_start;
	const char *detail; /* what is missing, NULL if nothing */
	enum frame_gap gap; /* subject of DETAIL */
};

/* Gives ANSWER N empty frames, allocated in FRAMES. */
static inline void reader_answer_begin(struct reader_answer *answer, size_t n, struct arena *frames)
{
	answer->n_frames = n;
	answer->frames = arena_alloc(frames, n * sizeof(*answer->frames));
	memset(answer->frames, 0, n * sizeof(*answer->frames));
}

/* Returns an answer of one frame without a name. DETAIL is not copied. */
struct debug_answer answer_without_name(enum frame_status status, const char *detail);
/*
 * Returns the copy of S, which may be in a file, in COPIES: whoever overwrites the file before S is
 * printed changes it. Returns S if it is NULL, or so long that the following functions copy it.
 */
const char *answer_string(struct table *copies, const char *s);
/*
 * Cuts the names of FRAME; copies are in ARENA. Returns false if one is longer than 256 KiB.
 */
bool long_names_cut_frame(struct frame *frame, struct arena *arena);
/* Returns true if a name of ANSWER must be cut. */
bool long_names_in(const struct debug_answer *answer);
/*
 * Cuts the names of N answers, whose frames must be the caller's own. Skips numbered ones, which
 * have no long names. Answers with a name longer than 256 KiB become FRAME_FILE_BROKEN.
 */
void long_names_cut(struct debug_answer *answers, size_t n, struct arena *arena);
