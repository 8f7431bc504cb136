/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reader of debug info, whichever it is, says of one address. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/frame.h"
#include "util/arena.h"

/* The names of a function. */
struct names {
	const char *name;    /* DW_AT_name, NULL: none; strings live as long as the reader */
	const char *linkage; /* DW_AT_linkage_name, NULL: none */
	/* Where the lambda is declared whose operator() this is; 0: unknown, or none. */
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
	 * Innermost first, at least one. Their function is DW_AT_name and their linkage
	 * DW_AT_linkage_name, each NULL where DWARF has none; their offset is not set.
	 */
	struct frame *frames;
	size_t n_frames;
	bool has_function; /* the last frame is a function that DWARF knows */
	uint64_t entry;	   /* where that function is entered (ELF address) */
	/* Without a function: where the unit's code around the address starts; 0: unknown. */
	uint64_t unit_start;
	const char *detail; /* what was missing, NULL: nothing */
	enum frame_gap gap; /* what DETAIL is about */
};

/* Gives ANSWER N empty frames from the arena FRAMES. */
static inline void reader_answer_begin(struct reader_answer *answer, size_t n, struct arena *frames)
{
	answer->n_frames = n;
	answer->frames = arena_alloc(frames, n * sizeof(*answer->frames));
	memset(answer->frames, 0, n * sizeof(*answer->frames));
}
