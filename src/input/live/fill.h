/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a live map loses because it is too small, and the size that would do. */
#pragma once

#include <stdint.h>

#include "input/live/map.h"
#include "util/log.h"

/* Returns the least power of two from NUMBER on, 2^31 at most: the kernel has so many buckets. */
uint64_t live_fill_power_of_two(uint64_t number);
/*
 * Of STACKS (at most BUCKETS) different buckets taken: how many different stacks came, as is to be
 * expected of a good hash. Each that found its bucket taken was lost.
 */
double live_fill_expected(uint64_t stacks, uint64_t buckets);
/* The max_entries, a power of two, with which fewer than 1 in 20 of so many stacks collide. */
uint64_t live_fill_buckets(double stacks);
/*
 * Warns LOG if MAP, which held ENTRIES different keys, cannot have taken all that came. CPUS: how
 * many are possible; the kernel gives each some entries of an LRU map ahead.
 */
void live_fill_report(
	const struct live_map *map, uint64_t entries, unsigned int cpus, struct log *log);
