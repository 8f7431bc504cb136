/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guards mapped files that others may truncate. Reading pages past the new end raises SIGBUS, which
 * would kill the program. A registered mapping reads as zeros instead from the first missing page
 * on, and its `cut` is set.
 *
 * For one thread: no other thread may read the mappings.
 */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-filled is not registered. Must not move while it is registered. */
struct fault_guard {
	uintptr_t start;
	size_t len;
	volatile sig_atomic_t cut; /* true once missing data was read */
	struct fault_guard *next, **link;
};

/*
 * Registers the read-only mapping of LEN bytes at START; NULL and SIZE_MAX if these are not known
 * yet, because a library makes and reads it.
 */
void fault_guard_add(struct fault_guard *guard, const void *start, size_t len);
/* Unregisters GUARD, if it is registered. Call it before the mapping is unmapped. */
void fault_guard_remove(struct fault_guard *guard);
/*
 * Returns how many mappings were found truncated so far. Data read between two equal results was
 * complete.
 */
size_t fault_guard_cuts(void);
