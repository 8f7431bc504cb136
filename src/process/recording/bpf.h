/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The BPF programs that a recording has: their machine code, its names and source lines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/recording/loss.h"
#include "process/recording/row.h"
#include "util/arena.h"
#include "util/history.h"
#include "util/table.h"
#include "util/vec.h"

struct recorded_bpf_line {
	uint64_t address;      /* kernel address where its code begins */
	uint32_t line, column; /* from 1, 0: unknown */
	const char *file;
};

/* A program, a subprogram, or the kernel's glue between programs: kernel addresses [start, end). */
struct recorded_bpf {
	uint64_t start, end;
	uint64_t time;		    /* ns, when it came; 0: it was there before */
	uint64_t gone;		    /* ns; 0: not while the recorder ran */
	uint32_t name_number;	    /* equal for equal names */
	const char *name;	    /* as in kallsyms; "": it had none */
	size_t first_line, n_lines; /* by address */
};

/* Zero-filled is empty. */
struct recorded_bpfs {
	struct VEC(struct recorded_bpf) all; /* as read */
	struct VEC(struct recorded_bpf_line) lines;
	struct recorded_losses losses; /* not all that came and went then is known */
	struct table by_start;	       /* the last one at an address → index in all */
	struct table names;	       /* → number of the name */
	struct history history;	       /* by address; `item`: index in all */
};

void recorded_bpfs_deinit(struct recorded_bpfs *bpfs);
/*
 * Reads ROW, of a BPF program; strings go to ARENA. BEGIN is when a later recorder began, which says of what
 * was there that it came at 0; 0: it is the first. False: not understood, or too many.
 */
bool recorded_bpfs_read(struct recorded_bpfs *bpfs, struct arena *arena, uint64_t begin,
	const struct recorded_row *row);
/* After the last record, for now. */
void recorded_bpfs_finish(struct recorded_bpfs *bpfs);
/*
 * What was at ADDRESS at TIME (ns; 0: unknown), else the last that ever was. DOUBTFUL: something else
 * was there too and TIME does not tell, nothing was there at TIME, or something may have come in its place
 * unheard. NULL: nothing ever was there.
 */
const struct recorded_bpf *recorded_bpfs_at(
	const struct recorded_bpfs *bpfs, uint64_t address, uint64_t time, bool *doubtful);
/* The line of BPF that ADDRESS is in, NULL: unknown. */
const struct recorded_bpf_line *recorded_bpf_line_at(
	const struct recorded_bpfs *bpfs, const struct recorded_bpf *bpf, uint64_t address);
