/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of a live map, many at a time where the kernel can (BPF_MAP_LOOKUP_BATCH, Linux 5.6
 * for hashes), one by one elsewhere (stack maps).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/live/map.h"
#include "util/error.h"

struct live_entries {
	/*
	 * Gets an entry: key_size bytes, and for each of N_CPUS (1 if the map is not per CPU)
	 * value_size bytes, STRIDE apart. Under churn a key can come more than once. A queue's
	 * entries have no key (NULL).
	 */
	void (*entry)(void *context, const uint8_t *key, const uint8_t *value);
	void *context;
	size_t n_cpus; /* set by live_entries_read() */
	size_t stride; /* bytes; likewise */
	bool distinct; /* no key comes twice, whatever changes meanwhile; set before the first entry */
	uint64_t vanished; /* were there, and were gone when their turn came */
};

/* Whether ERRNUM says that the kernel has no such call for a map of this type. */
bool live_not_supported(int errnum);
/*
 * Reads MAP; of a queue or stack the entry that would be taken next. All-zero elements of arrays
 * are left out. The error says what the kernel refused.
 */
struct error *live_entries_read(
	const struct live_map *map, struct live_entries *entries) must_check;
