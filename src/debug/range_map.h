/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A map from address ranges, which may nest and overlap, to numbers. Filled first, then finished
 * once, then asked: a finished map is a sorted list of disjoint pieces.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t start, end; /* [start, end) */
	uint32_t value;
	uint32_t rank; /* among equal ranges the highest wins, then the lowest value */
};

/* Zero-filled is empty. */
struct range_map {
	struct range *data;
	size_t len, cap;
};

void range_map_deinit(struct range_map *map);
/* Empty and reversed ranges are ignored. */
void range_map_add(
	struct range_map *map, uint64_t start, uint64_t end, uint32_t value, uint32_t rank);
/*
 * Cuts the ranges into disjoint pieces. Where they overlap, the one that starts later wins, among
 * those with one start the one that ends first: the inner one wins.
 */
void range_map_finish(struct range_map *map);
/* What an unfinished map, whose ranges all hold one address, would give for that address. */
const struct range *range_map_innermost(const struct range_map *map);
/* The piece of a finished map that holds ADDRESS, NULL if none does. */
const struct range *range_map_find(const struct range_map *map, uint64_t address);
/* The start of the first piece of a finished map that starts after ADDRESS, UINT64_MAX: none. */
uint64_t range_map_next(const struct range_map *map, uint64_t address);
