/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks: `comm;root;caller;leaf 12`, equal stacks merged, in byte order, printed at the
 * end. The user frames come before the kernel ones. Names are made safe by output/folded_frame.h.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "output/format.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

extern const struct format folded_format;

/*
 * The lines of folded output, as lists of numbers: each number stands for the text of a frame,
 * which is kept once. Equal lines are merged, and printed in the order of their bytes.
 */
struct folded_frame {
	const char *text; /* with its ';' */
	uint32_t len;
	uint32_t rank;	    /* in the order of all texts */
	uint32_t last_rank; /* the same, of the text without its ';' */
};

/* A line on its way to its place among the others, see sort_lines(). */
struct folded_line {
	uint64_t key; /* of its next frames */
	const struct table_slot *line;
	uint32_t next; /* bytes of its codes before those that the next key is made of */
};

/* Zero-filled is empty. Must not be moved. */
struct folded_lines {
	struct table frame_numbers;		/* text of a frame → its number */
	struct VEC(struct folded_frame) frames; /* by number */
	struct arena texts;			/* of the frames */
	struct table lines; /* codes of frames' numbers (util/varint.h) → weight */
	struct text codes;  /* scratch */
	struct VEC(struct folded_line) sorted; /* folded_lines_order() */
	unsigned int key_bits;		       /* of each frame in a line's key */
};

void folded_lines_deinit(struct folded_lines *lines);
/* The number of the frame TEXT: LEN bytes, the last of which is its only ';'. */
uint32_t folded_lines_frame(struct folded_lines *lines, const char *text, size_t len);
/* A line of N frames, N > 0; what WEIGHTs add up to saturates. */
void folded_lines_add(
	struct folded_lines *lines, const uint32_t *frames, size_t n, uint64_t weight);
/* Orders the lines, of which none is added afterwards; how many there are. */
size_t folded_lines_order(struct folded_lines *lines);
/* Adds line I, in that order, to TEXT. */
void folded_lines_print(const struct folded_lines *lines, size_t i, struct text *text);
