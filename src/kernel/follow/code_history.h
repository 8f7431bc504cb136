/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history of code that the kernel generates at run time (BPF programs, trampolines, instruction
 * slots), from the reports of its changes: what was at an address when a stack was taken. Changes
 * may be added in any order; the times of the events count. Addresses are kernel addresses, times
 * are in ns of CLOCK_MONOTONIC.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/follow/reports.h"
#include "util/vec.h"

/* One piece of code in [start, end). */
struct loaded_code {
	uint64_t start, end;
	/* times of its load and unload; CAME 0: before we listened; GONE 0: still loaded */
	uint64_t came, gone;
	uint64_t seq;	 /* sequence number of its last change (struct follow) */
	uint64_t number; /* unique number, from 1 */
	char *name;	 /* owned: name as in kallsyms; "" if it has none */
	bool bpf;
	bool forgotten; /* what was here before is no longer known */
};

struct code_history {
	struct VEC(struct loaded_code) all; /* sorted by start, then by CAME */
	uint64_t longest;		    /* size of the largest code, in bytes */
	uint64_t numbers;
	size_t n_gone;
};

/* The time at which a stack was taken. */
struct sample_time {
	uint64_t from, to; /* the stack was taken in [from, to] */
	uint64_t ended;	   /* code unloaded before this time had stopped running */
};

void code_history_deinit(struct code_history *history);
/*
 * Adds EVENT of kind KSYMBOL_BPF or KSYMBOL_OTHER, with the sequence number SEQ. Returns false if
 * there is no room.
 */
bool code_history_add(
	struct code_history *history, const struct ksymbol_event *event, uint64_t seq);
/* The code at an address when a sample was taken. */
struct code_choice {
	/* number of the code there at the end of that time, or of the last before; 0: none */
	uint64_t number;
	/*
	 * number of code with another name that may have been there instead; 0: none. Equal to
	 * NUMBER: there may have been unknown code.
	 */
	uint64_t other;
	bool later; /* NUMBER is 0, because all known code at the address was loaded later */
	bool over;  /* NUMBER had been unloaded, and no known code had replaced it */
	/* NUMBER is 0, and some changes of that time are unknown (kernel_choose()) */
	bool incomplete;
};

/*
 * Finds the code at ADDRESS within TIME. Returns false if no code is known at ADDRESS at any
 * time.
 */
bool code_history_choose(const struct code_history *history, uint64_t address,
	const struct sample_time *time, struct code_choice *ret);
/*
 * Returns code NUMBER, which covers ADDRESS, or NULL if it was forgotten. The result is valid until
 * the next change.
 */
const struct loaded_code *code_history_find(
	const struct code_history *history, uint64_t address, uint64_t number);
/*
 * Forgets code unloaded before HORIZON if other code has since replaced it, or if its last change
 * is in the symbols, which have all changes up to SETTLED (sequence number). Returns how many
 * entries of that age are left.
 */
size_t code_history_prune(struct code_history *history, uint64_t settled, uint64_t horizon);
/* Forgets changes up to sequence number SEQ, because symbols read since then contain them. */
void code_history_forget(struct code_history *history, uint64_t seq);
