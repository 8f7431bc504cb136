/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classifies raw 64-bit slots of stacks: user addresses, kernel addresses, the marks that perf
 * callchains put between the two (PERF_CONTEXT_*, include/uapi/linux/perf_event.h), or neither.
 * Splits stacks into a user and a kernel stack.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/stack.h"
#include "model/frame.h"
#include "util/arena.h"
#include "util/vec.h"

enum address_side {
	SIDE_UNKNOWN, /* not an address: zero, a small number, a mark, not canonical */
	SIDE_USER,    /* below 2^57 (5-level page tables) */
	SIDE_KERNEL,  /* from 0xff00000000000000 on, unless struct address_halves says otherwise */
	SIDE_COUNT,
};

/* Returns true for (u64)-4095 and above: PERF_CONTEXT_MAX and the other marks, never an address. */
bool address_is_mark(uint64_t value);
/*
 * Returns the side of an address. SIDE_UNKNOWN for values below 64 KiB (mmap_min_addr), and for the
 * vsyscall page, which occurs in user and kernel stacks.
 */
enum address_side address_side(uint64_t value);
/*
 * Returns the side of an address on the machine described by HALVES. SIDE_UNKNOWN also if the value
 * of an address does not determine its side.
 */
enum address_side address_side_in(const struct address_halves *halves, uint64_t value);
/*
 * Returns the side of the first slot that has one. The leaf is always real, but later slots may be
 * garbage.
 */
enum address_side address_leaf_side(const struct address_halves *halves, const struct stack *stack);

/* Returns how many of the N values are left without trailing zeros. */
size_t address_trim(const uint64_t *values, size_t n);

/*
 * Splits IN (PRESENT) into USER and KERNEL, which become ABSENT or PRESENT. SIDE is the side of the
 * whole stack. If it is SIDE_UNKNOWN, a stack that begins with kernel addresses is a kernel stack
 * up to the first user address; any other is a user stack. If addresses do not determine their side
 * (struct address_halves), USER becomes STACK_LOST_SIDE. Marks switch sides and are removed. Copies
 * are allocated in MEMORY; uncopied results point into IN's arrays.
 */
void address_split(struct arena *memory, const struct address_halves *halves,
	const struct stack *in, enum address_side side, struct stack *user, struct stack *kernel);

/*
 * Returns the stack for a negative stack ID: bpf_get_stackid() failed or was not called. -1 and
 * -EFAULT mean that there is no stack; other errors mean that it was lost.
 */
struct stack address_no_stack(int64_t id);

/* The slots of a stack while it is read from text. */
struct slots {
	struct VEC(uint64_t) values;
	struct VEC(struct stack_origin) origins;
	bool in_files;				   /* true if some origin is not empty */
	struct VEC(const struct location *) known; /* for all slots, or for none */
};

void slots_deinit(struct slots *slots);
void slots_clear(struct slots *slots);
void slots_add(struct slots *slots, uint64_t value, struct stack_origin origin);
/* Adds a slot with the location that an earlier run resolved; NULL if it is unknown. */
void slots_add_known(struct slots *slots, uint64_t value, struct stack_origin origin,
	const struct location *location);
/* Returns the first DEPTH slots as a stack with ID -1, which is valid until SLOTS changes. */
struct stack slots_stack(const struct slots *slots, size_t depth);
