/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answer of a debug info reader (DWARF, Go) for one address. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/frame.h"
#include "util/arena.h"

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
