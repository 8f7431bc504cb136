/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates what a live map loses because it is too small, and the size that it needs. */
#pragma once

#include <stdint.h>

#include "input/live/map.h"
#include "util/log.h"

/*
 * Returns NUMBER rounded up to a power of two, at most 2^31. This is the number of buckets of a
 * stack map whose max_entries is NUMBER.
 */
uint64_t live_fill_power_of_two(uint64_t number);
/*
 * Returns the expected number of different stacks that were added if STACKS of BUCKETS buckets are
 * taken, assuming a uniform hash. Each stack that found its bucket taken was lost.
 */
double live_fill_expected(uint64_t stacks, uint64_t buckets);
/* Returns the max_entries, a power of two, with which fewer than 1 in 20 of STACKS collide. */
uint64_t live_fill_buckets(double stacks);
/*
 * Warns in LOG if MAP, which held ENTRIES different keys, was too small for all that were added.
 * CPUS is the number of possible CPUs: the kernel reserves entries of an LRU map for each.
 */
void live_fill_report(
	const struct live_map *map, uint64_t entries, unsigned int cpus, struct log *log);
