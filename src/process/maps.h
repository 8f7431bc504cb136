/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of /proc/PID/maps (fs/proc/task_mmu.c, show_map_vma). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "process/mapping.h"
#include "util/arena.h"
#include "util/vec.h"

struct maps VEC(struct mapping);

/*
 * Appends the mappings of TEXT in its order (ascending, disjoint), paths copied into STRINGS.
 * Lines that are no mapping are skipped and counted in the result.
 */
size_t maps_parse(const char *text, size_t len, struct arena *strings, struct maps *ret);
/* Returns true if A and B are mappings of the same part of the same file, at the same addresses. */
bool maps_same_code(const struct mapping *a, const struct mapping *b);
/* Cuts " (deleted)", the kernel's mark of a file that is gone, off PATH. Returns false if it has none. */
bool maps_cut_deleted(char *path);
/* The mapping whose [start, end) holds ADDRESS, NULL if none does. */
const struct mapping *maps_find(const struct maps *maps, uint64_t address);
