/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses /proc/PID/maps (fs/proc/task_mmu.c, show_map_vma()). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "process/mapping.h"
#include "util/arena.h"
#include "util/vec.h"

struct maps VEC(struct mapping);

/*
 * Appends the mappings in TEXT to RET, in the same order (ascending, disjoint); copies paths to
 * STRINGS. Skips lines that are not mappings, and returns their number.
 */
size_t maps_parse(const char *text, size_t len, struct arena *strings, struct maps *ret);
/* Returns true if A and B map the same part of the same file at the same addresses. */
bool maps_same_code(const struct mapping *a, const struct mapping *b);
/*
 * Removes " (deleted)", which the kernel appends for deleted files, from PATH. Returns false if it
 * is not there.
 */
bool maps_cut_deleted(char *path);
/* Returns the mapping that contains ADDRESS, or NULL. */
const struct mapping *maps_find(const struct maps *maps, uint64_t address);
