/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The BPF programs of a recording: the addresses, names and source lines of their machine code. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/recording/recording_row.h"
#include "util/arena.h"
#include "util/history.h"
#include "util/table.h"
#include "util/vec.h"

struct recorded_bpf_line {
	uint64_t address;      /* kernel address of its first instruction */
	uint32_t line, column; /* counting from 1; 0 if unknown */
	const char *file;
};

/* A program, a subprogram or a trampoline: kernel addresses [start, end). */
struct recorded_bpf {
	uint64_t start, end;
	uint64_t time;	      /* load time in ns; 0 if it was there before */
	uint64_t gone;	      /* unload time in ns; 0 if it was not unloaded while recording */
	uint32_t name_number; /* equal for equal names */
	const char *name;     /* as in kallsyms; "" if it had none */
	size_t first_line, n_lines; /* its lines, by ascending address */
};

struct recorded_bpfs {
	struct VEC(struct recorded_bpf) all; /* in file order */
	struct VEC(struct recorded_bpf_line) lines;
	struct recorded_losses losses; /* periods in which loads and unloads may be missing */
	struct table by_start;	       /* start address → index in ALL of the latest program */
	struct table names;	       /* name → its number */
	struct history history;	       /* by address; `item`: index in ALL */
};

void recorded_bpfs_deinit(struct recorded_bpfs *bpfs);
/*
 * Reads ROW, a row of a BPF program; copies strings to ARENA. BEGIN is the start of the source in
 * ns, 0 for the first source. Later recorders also write time 0 for programs that were there
 * before; these get the time BEGIN. Returns false if the row is not understood, or if there are too
 * many.
 */
bool recorded_bpfs_read(struct recorded_bpfs *bpfs, struct arena *arena, uint64_t begin,
	const struct recorded_row *row);
/* Builds the history of the rows read so far; may be called again after more rows. */
void recorded_bpfs_finish(struct recorded_bpfs *bpfs);
/*
 * Returns the program at ADDRESS at TIME (ns; 0 if unknown), or else the last one that was ever
 * there, or NULL. Sets DOUBTFUL if another program may have been there at TIME, if none was there
 * at TIME, or if events between its load and TIME may be missing.
 */
const struct recorded_bpf *recorded_bpfs_at(
	const struct recorded_bpfs *bpfs, uint64_t address, uint64_t time, bool *doubtful);
/* Returns the line of BPF that contains ADDRESS, or NULL if unknown. */
const struct recorded_bpf_line *recorded_bpf_line_at(
	const struct recorded_bpfs *bpfs, const struct recorded_bpf *bpf, uint64_t address);
