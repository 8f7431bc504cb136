/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A map from address ranges to numbers. Ranges may nest and overlap. It is filled, finished once,
 * and then searched: a finished map is a sorted list of disjoint pieces. vec_deinit() frees it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t start, end; /* [start, end) */
	uint32_t value;
	uint32_t rank; /* among equal ranges, the highest rank wins, then the lowest value */
};

struct range_map {
	struct range *data;
	size_t len, cap;
};

/* Adds [START, END). Empty and reversed ranges are ignored. */
void range_map_add(
	struct range_map *map, uint64_t start, uint64_t end, uint32_t value, uint32_t rank);
/*
 * Cuts the ranges into disjoint pieces. Where ranges overlap, the one with the highest start wins,
 * then the one with the lowest end: the innermost range.
 */
void range_map_finish(struct range_map *map);
/*
 * Returns the innermost range of an unfinished map whose ranges all contain the same address, NULL
 * if the map is empty.
 */
const struct range *range_map_innermost(const struct range_map *map);
/* Returns the piece of a finished map that contains ADDRESS, NULL if there is none. */
const struct range *range_map_find(const struct range_map *map, uint64_t address);
/*
 * Returns the start of the first piece of a finished map that starts after ADDRESS, UINT64_MAX if
 * there is none.
 */
uint64_t range_map_next(const struct range_map *map, uint64_t address);
