/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mapped files that others may cut short: reading what is no longer there raises SIGBUS, which would
 * end the run. While such a mapping is registered here, it reads as zeros from the first byte that
 * was missed on, and says so.
 *
 * For one thread: no other may read the mappings.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-filled is not registered. Must stay where it is while it is. */
struct fault_guard {
	uintptr_t start;
	size_t len;
	volatile sig_atomic_t cut; /* something was missed; stays set */
	struct fault_guard *next, **link;
};

/* Registers the mapping of LEN bytes at START, made for reading only. */
void fault_guard_add(struct fault_guard *guard, const void *start, size_t len);
/* The same while a mapping is made and read by others, and it is not known yet where it is. */
void fault_guard_add_anywhere(struct fault_guard *guard);
/* Before the mapping goes. It need not have been registered. */
void fault_guard_remove(struct fault_guard *guard);
/* How many mappings were found cut so far: what was read between two equal answers was whole. */
size_t fault_guard_cuts(void);
