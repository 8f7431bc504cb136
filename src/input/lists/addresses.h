/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a raw 64-bit slot of a stack is: a user address, a kernel address, one of the marks that
 * perf callchains put between the two (PERF_CONTEXT_*, include/uapi/linux/perf_event.h), or
 * neither.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/address_halves.h"
#include "model/stack.h"
#include "util/arena.h"

enum address_side {
	SIDE_UNKNOWN, /* no address: zero, a small number, a mark, not canonical */
	SIDE_USER,    /* below 2^57 (5-level page tables) */
	SIDE_KERNEL,  /* from 0xff00000000000000 on, if no address_halves say otherwise */
	SIDE_COUNT,
};

/* (u64)-4095 and up: PERF_CONTEXT_MAX and the marks above it. Never an address. */
bool address_is_mark(uint64_t value);
/* Quickly: if not, none of N values is a mark. */
bool address_may_have_marks(const uint64_t *values, size_t n);
/*
 * SIDE_UNKNOWN for values below 64 KiB (mmap_min_addr) and for the vsyscall page, which both user
 * and kernel stacks hold.
 */
enum address_side address_side(uint64_t value);
/*
 * The same on the machine that HALVES tells of. Where no number tells, what may be an address is
 * SIDE_UNKNOWN too.
 */
enum address_side address_side_in(const struct address_halves *halves, uint64_t value);
/* The side of the first slot that has one: the leaf is real, what follows may be garbage. */
enum address_side address_leaf_side(const struct address_halves *halves, const struct stack *stack);

/* The number of slots of VALUES that are left when the zero tail is dropped. */
size_t address_trim(const uint64_t *values, size_t n);

/*
 * Gives the slots of IN (PRESENT) to USER and KERNEL, which become ABSENT or PRESENT. SIDE says
 * whose they are; SIDE_UNKNOWN: a stack that begins with kernel addresses is of the kernel up to
 * the first user address, any other is of the user; where no number tells, it is STACK_LOST_SIDE.
 * Marks switch sides and are dropped. What is copied goes to MEMORY, otherwise the results point
 * into IN's arrays.
 */
void address_split(struct arena *memory, const struct address_halves *halves,
	const struct stack *in, enum address_side side, struct stack *user, struct stack *kernel);

/*
 * The stack that a stack ID below zero stands for (bpf_get_stackid() failed, or was not called):
 * -1 and -EFAULT are no stack, the others are stacks that were lost.
 */
struct stack address_no_stack(int64_t id);
