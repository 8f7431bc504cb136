/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks: `comm;root;caller;leaf 12`. Equal stacks are merged, and printed at the end in
 * byte order. User frames come before kernel frames. output/trace_path.h makes names safe.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "output/format.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

/* A frame of folded lines. Its text is kept once, and lines are lists of frame numbers. */
struct folded_frame {
	const char *text; /* including the final ';', then FRAME_COPY bytes of 0 */
	uint32_t len;
	uint32_t rank;	    /* rank of TEXT among all texts, in byte order */
	uint32_t last_rank; /* rank of TEXT without the ';' */
};

/* A line while it is sorted, see folded_lines_order(). */
struct folded_line {
	uint64_t key; /* ranks of its next frames */
	const struct table_slot *line;
	uint32_t next; /* bytes of its codes that precede the next key */
};

/* Must not be moved. */
struct folded_lines {
	struct table frame_numbers;		/* text of a frame → number */
	struct VEC(struct folded_frame) frames; /* by number */
	struct arena texts;			/* of the frames */
	struct table lines; /* frame numbers, as varints (util/number.h) → weight */
	struct text codes;  /* scratch */
	struct VEC(struct folded_line) sorted; /* set by folded_lines_order() */
	unsigned int key_bits;		       /* bits per frame in the key of a line */
};

void folded_lines_deinit(struct folded_lines *lines);
/* Returns the number of the frame TEXT, of LEN bytes. The last byte is its only ';'. */
uint32_t folded_lines_frame(struct folded_lines *lines, const char *text, size_t len);
/* Adds WEIGHT to the line of N FRAMES, N > 0. Sums saturate. */
void folded_lines_add(
	struct folded_lines *lines, const uint32_t *frames, size_t n, uint64_t weight);
/* Sorts the lines and returns their number. No line may be added afterwards. */
size_t folded_lines_order(struct folded_lines *lines);
/* Adds line I, in sorted order, to TEXT. */
void folded_lines_print(const struct folded_lines *lines, size_t i, struct text *text);
