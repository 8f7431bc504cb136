// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The index of a package of split units. Input: .debug_cu_index; every other section has 64 bytes
 * that nobody reads.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "debug/dwarf/split.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t other[64];

static void check_part(struct sections *unit, enum section_id id)
{
	struct slice slice = sections_get(unit, id);

	if (slice.len && (slice.data < other || slice.len > sizeof(other) ||
				 slice.data > other + sizeof(other) - slice.len))
		abort();
}

static void ask(const struct package *package, uint64_t dwo_id)
{
	struct sections *unit = package_unit(package, dwo_id, 0);

	for (size_t i = 0; unit && i < SECTION_COUNT; i++)
		if (i != SECTION_CU_INDEX)
			check_part(unit, (enum section_id)i);
	sections_destroy(unit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice slices[SECTION_COUNT];
	struct package package;

	for (size_t i = 0; i < SECTION_COUNT; i++)
		slices[i] = (struct slice){other, sizeof(other), false};
	slices[SECTION_CU_INDEX] = (struct slice){data, size, false};
	struct sections *sections = sections_from_slices(slices);
	if (package_read(sections, &package)) {
		for (size_t i = 0; i + 8 <= size && i < 1024; i += 4) {
			uint64_t dwo_id;

			memcpy(&dwo_id, data + i, sizeof(dwo_id));
			ask(&package, dwo_id);
		}
	}
	sections_destroy(sections);
	return 0;
}
