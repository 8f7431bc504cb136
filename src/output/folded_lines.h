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

struct folded_run {
	const char *text; /* can be read beyond its end, see folded_lines.c */
	size_t len;
	uint32_t rank; /* in the order of the texts, from 1; 0: another one begins with this text */
};

/* A line on its way to its place among the others, see sort_lines(). */
struct folded_line {
	uint64_t key; /* of its next runs */
	struct line *line;
	uint32_t at, next; /* bytes of its codes: before the runs of the key, after them */
};

/* Zero-filled is empty. Must not be moved. */
struct folded_lines {
	struct table numbers;		    /* text of a run -> its number */
	struct VEC(struct folded_run) runs; /* by number */
	struct arena texts;		    /* of the runs */
	struct worker *worker; /* enters lines into the table; NULL: there were few so far */
	struct line_set lines; /* of runs' numbers; the worker's, as is ENTERED */
	struct VEC(uint32_t) entered, recent;  /* lines on their way there, see folded_lines.c */
	struct VEC(struct folded_line) sorted; /* folded_lines_order() */
	unsigned int key_bits;		       /* of each run in a line's key */
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
