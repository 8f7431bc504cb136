// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/live_map.h"

#include <bpf/bpf.h>

enum {
	ALLOWED = 20,	  /* one in so many stacks may collide */
	LOCAL_FREE = 128, /* LOCAL_FREE_TARGET in kernel/bpf/bpf_lru_list.c */
	MIB_SHIFT = 20,
};

#define BUCKETS_MAX (1ULL << 31)

uint64_t live_fill_power_of_two(uint64_t number)
{
	uint64_t power = 1;

	while (power < number && power < BUCKETS_MAX)
		power *= 2;
	return power;
}

/* With I of B buckets taken, a stack finds a free one with probability (B - I) / B. */
double live_fill_expected(uint64_t stacks, uint64_t buckets)
{
	double sum = 0;

	for (uint64_t i = 0; i < stacks && i < buckets; i++)
		sum += (double)buckets / (double)(buckets - i);
	return sum;
}

/* Of T stacks in B buckets, about the fraction T / 2B collide if B is much larger than T. */
uint64_t live_fill_buckets(double stacks)
{
	return live_fill_power_of_two(stacks < (double)BUCKETS_MAX / ALLOWED
					      ? (uint64_t)(stacks * ALLOWED / 2)
					      : BUCKETS_MAX);
}

/*
 * Warns about a stack map. The kernel rounds max_entries up to a power of two for the number of
 * buckets, but not for the limit on stacks (kernel/bpf/stackmap.c).
 */
static void report_stacks(const struct live_map *map, uint64_t entries, struct log *log)
{
	uint64_t buckets = live_fill_power_of_two(map->max_entries);
	double stacks = live_fill_expected(entries, buckets), lost = stacks - (double)entries;

	if (lost >= 1 && lost * ALLOWED > stacks) {
		uint64_t wanted = live_fill_buckets(stacks);

		log_add(log, LOG_WARNING, 1,
			"%s: about %.0f %% of the stacks collided in a bucket and are lost (or "
			"replaced another): raise max_entries from %u to %llu (%llu MiB)",
			map->label, lost / stacks * 100, map->max_entries,
			(unsigned long long)wanted,
			(unsigned long long)(wanted * map->value_size >> MIB_SHIFT));
	} else if (entries >= map->max_entries) {
		log_add(log, LOG_WARNING, 1, "%s: full: raise max_entries from %u to %llu",
			map->label, map->max_entries, 2ULL * map->max_entries);
	}
}

/* Returns how many keys an LRU map holds at least before it evicts one. */
static uint64_t lru_room(const struct live_map *map, unsigned int cpus)
{
	uint64_t ahead = map->max_entries / cpus / 2;

	if (map->flags & BPF_F_NO_COMMON_LRU)
		return map->max_entries / cpus; /* each CPU has its own share */
	return map->max_entries - cpus * (ahead < LOCAL_FREE ? ahead : LOCAL_FREE);
}

void live_fill_report(
	const struct live_map *map, uint64_t entries, unsigned int cpus, struct log *log)
{
	unsigned long long twice = 2ULL * map->max_entries;

	if (!entries || !cpus)
		return;
	if (map->kind == LIVE_STACKS)
		report_stacks(map, entries, log);
	if (map->kind != LIVE_COUNTS)
		return;
	switch (map->type) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
		if (entries >= map->max_entries)
			log_add(log, LOG_WARNING, 1,
				"%s: full: new keys are not counted: raise max_entries from %u "
				"to %llu or more",
				map->label, map->max_entries, twice);
		break;
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
		if (entries >= lru_room(map, cpus))
			log_add(log, LOG_WARNING, 1,
				"%s: an LRU map so full that it evicts keys, whose counts are "
				"missing: raise max_entries from %u to %llu or more",
				map->label, map->max_entries, twice);
		break;
	default:
		break;
	}
}
