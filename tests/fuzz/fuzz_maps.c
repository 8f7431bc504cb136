// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "process/maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What maps_parse() promises: ascending, disjoint, and each mapping is found at its ends. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena strings = {};
	struct maps maps = {};

	maps_parse((const char *)data, size, &strings, &maps);
	for (size_t i = 0; i < maps.len; i++) {
		const struct mapping *mapping = &maps.data[i];

		if (mapping->start >= mapping->end || (i && mapping[-1].end > mapping->start) ||
			maps_find(&maps, mapping->start) != mapping ||
			maps_find(&maps, mapping->end - 1) != mapping)
			abort();
	}
	vec_deinit(&maps);
	arena_deinit(&strings);
	return 0;
}
