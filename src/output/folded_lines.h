/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of folded output, as lists of numbers: each number stands for a run, the text of one or
 * more frames. Equal lines are merged, and printed in the order of their bytes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "output/line_set.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

struct folded_frame {
	const char *text; /* with its ';'; can be read beyond its end, see folded_lines.c */
	uint32_t len;
	uint32_t rank;	    /* in the order of all texts */
	uint32_t last_rank; /* the same, of the text without its ';' */
	uint32_t run;	    /* 1 more than the number of the run of it alone; 0: there is none */
};

struct folded_run {
	const char *text;  /* of its only frame; NULL: it has several */
	uint32_t len;	   /* bytes of all */
	uint32_t first, n; /* its frames' numbers, in `run_frames` */
};

/* A line on its way to its place among the others, see sort_lines(). */
struct folded_line {
	uint64_t key; /* of its next frames */
	struct line *line;
	uint32_t next;	/* bytes of its codes before the run in which the next key begins */
	uint32_t frame; /* where it begins in that run; UINT32_MAX: the line is as the one before */
};

/* Zero-filled is empty. Must not be moved. */
struct folded_lines {
	struct table frame_numbers;		/* text of a frame → its number */
	struct VEC(struct folded_frame) frames; /* by number */
	struct arena texts;			/* of the frames */
	struct table run_numbers; /* numbers of several frames → the number of their run */
	struct VEC(struct folded_run) runs; /* by number */
	struct VEC(uint32_t) run_frames;
	struct worker *worker; /* enters lines into the table; NULL: there were few so far */
	struct line_set lines; /* of runs' numbers; the worker's, as is ENTERED */
	struct VEC(uint32_t) entered, recent;  /* lines on their way there, see folded_lines.c */
	struct VEC(struct folded_line) sorted; /* folded_lines_order() */
	unsigned int key_bits;		       /* of each frame in a line's key */
};

void folded_lines_deinit(struct folded_lines *lines);
/* The number of the run TEXT: LEN bytes, frames of at least a byte and a ';' each. */
uint32_t folded_lines_run(struct folded_lines *lines, const char *text, size_t len);
/* A line of N runs, N > 0; what WEIGHTs add up to saturates. */
void folded_lines_add(struct folded_lines *lines, const uint32_t *runs, size_t n, uint64_t weight);
/* Orders the lines, of which none is added afterwards, and merges equal ones; how many there are. */
size_t folded_lines_order(struct folded_lines *lines);
/* Adds line I, in that order, to TEXT. */
void folded_lines_print(const struct folded_lines *lines, size_t i, struct text *text);
