/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that the kernel makes while it runs (BPF programs, trampolines, instruction slots), as it came
 * and went since somebody listens: which of it lay at an address when a stack was taken. Ordered by
 * the times of the events, in whatever order these are changes. Addresses are kernel addresses, times
 * ns of CLOCK_MONOTONIC.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/follow/ksymbol.h"
#include "util/vec.h"

/* Code in [start, end). */
struct code_life {
	uint64_t start, end;
	uint64_t came, gone; /* when; CAME 0: before anybody listened; GONE 0: it is there */
	uint64_t seq;	     /* of the last change of it (struct kernel_changes) */
	uint64_t number;     /* from 1: no two have the same */
	char *name;	     /* as kallsyms has it; "": it has none. Owned */
	bool bpf;
	bool forgotten; /* what lay here before it is no longer known */
};

/* Zero-filled is empty. */
struct code_history {
	struct VEC(struct code_life) all; /* by start, then by when it came */
	uint64_t longest;		  /* bytes of code */
	uint64_t numbers;
	size_t n_gone;
};

/* When a stack was taken. */
struct moment {
	uint64_t from, to; /* between the two */
	uint64_t ended;	   /* code that went before this did not run any more */
};

void code_history_deinit(struct code_history *history);
/* Code came or went, by EVENT of kind KSYMBOL_BPF or KSYMBOL_OTHER. False: there is no room. */
bool code_history_add(
	struct code_history *history, const struct ksymbol_event *event, uint64_t seq);
/* Which code an address was in. */
struct code_choice {
	uint64_t
		number; /* of the code that lay there at the end, or was the last to do so; 0: none */
	uint64_t other;	 /* what may have lain there in its stead, by another name; 0: nothing. The
			    same as NUMBER: unknown what */
	bool later;	 /* NUMBER 0: what is known of the address came afterwards */
	bool over;	 /* NUMBER had gone by then, and no known code has come */
	bool incomplete; /* NUMBER 0: not all that came and went then is known (kernel_choose()) */
};

/* What lay at ADDRESS within MOMENT. False: nothing ever came or went there. */
bool code_history_choose(const struct code_history *history, uint64_t address,
	const struct moment *moment, struct code_choice *ret);
/* The code NUMBER, which ADDRESS is in; valid until the next change. NULL: it was forgotten. */
const struct code_life *code_history_life(
	const struct code_history *history, uint64_t address, uint64_t number);
/*
 * Forgets what went before HORIZON if other code has come in its place since, or if symbols that
 * have all changes up to SETTLED (seq) do not have it any more. How much of that age is left.
 */
size_t code_history_prune(struct code_history *history, uint64_t settled, uint64_t horizon);
/* Forgets changes up to SEQ: symbols that were read since have them. */
void code_history_forget(struct code_history *history, uint64_t seq);
