// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_value.h"

#include <string.h>

#include "input/roles/values.h"
#include "input/roles/roles.h"
#include "util/cleanup.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define ALLOCATION_MAX (1ULL << 36) /* largest plausible average of allocations, in bytes */
#define ALLOCATIONS_MASK ((1ULL << 40) - 1)

size_t raw_value_comm(const struct raw_question *question, const struct count_reading *reading)
{
	scope_guard(layout_deinit) struct layout known = {};
	const struct layout *value = reading->value;

	if (!value) {
		known_value_find(question->map, false, question->key_fields, &known);
		value = &known;
	}
	vec_each(field, &value->fields)
		if (field->kind == FIELD_TEXT && field->size == RAW_COMM_LEN &&
			!strcmp(field->name, "value.comm"))
			return field->offset;
	return RAW_NONE;
}

/* Reads the value with the layout of KNOWN, which is in `own_value`. */
static void use_known(struct count_reading *reading, const struct known_value *known)
{
	reading->value = &reading->own_value;
	reading->evidence[ROLE_WEIGHT] =
		xasprintf("in the only known layout that fits: %s", known->program);
}

/* ---- the number that counts ----------------------------------------------------------------- */

static enum reading_status refuse_value(struct count_reading *reading)
{
	size_t len = reading->value_len;

	if (len >= sizeof(uint64_t))
		reading_offer(reading, xstrdup("--value-layout='u64 weight@0; u8 rest[]' (for 0, "
					       "put the offset of the right number)"));
	for (size_t width = 8; width >= 4; width /= 2)
		if (len > width && !(len % width))
			reading_offer(reading,
				xasprintf("--value-layout='u%zu slots[%zu]' (all numbers add up)",
					8 * width, len / width));
	reading_offer(
		reading, xasprintf("--value-layout='u8 rest[%zu]' (each entry counts once)", len));
	return reading_refuse(
		reading, xasprintf("the content of its values of %zu bytes is unknown", len), NULL);
}

/* Refuses values of 8 bytes that may be something else than plain numbers. */
static enum reading_status check_number(const struct count_map *map, struct count_reading *reading)
{
	/*
	 * memleak's union combined_alloc_info (libbpf-tools/memleak.h): the total size of
	 * allocations, in bytes, in the lower 40 bits, and their number above. LARGE: a total is 4
	 * GiB or more.
	 */
	bool allocations = true, any = false, large = false;
	/*
	 * Two numbers of 4 bytes: the first ones of values above 32 bits are so small that chance
	 * explains it only once in a thousand times.
	 */
	uint32_t max_first = 0, max_second = 0;
	double chance = 1;
	size_t n = 0;

	count_each(i, map) {
		const struct count_entry *entry = &map->entries.data[i];

		if (entry->value_len != 8)
			return READING_USABLE;
		const uint8_t *value = count_map_value(map, i);
		uint64_t word = load_u64(value), number = word >> 40,
			 bytes = word & ALLOCATIONS_MASK;
		uint32_t first = load_u32(value), second = load_u32(value + 4);
		allocations &= entry->cpu < 0 && entry->key_len == 8 &&
			       (!word || (number && bytes / number <= ALLOCATION_MAX));
		large |= bytes > UINT32_MAX;
		any |= word != 0;
		if (!second || (second == UINT32_MAX && first >> 31)) /* fits in 32 bits */
			continue;
		n++;
		max_first = first > max_first ? first : max_first;
		max_second = second > max_second ? second : max_second;
	}
	if (allocations && any) {
		const char *once = "--value-layout='u8 rest[8]' (each entry counts once)";

		return reading_refuse(reading,
			xstrdup("its values could be plain numbers or, as in memleak, the bytes of "
				"allocations in 40 bits and their number in 24"),
			"--value-layout='u64 value' (plain numbers)",
			large ? once : "--value-layout='u32 value; u32 unused' (the bytes)",
			large ? NULL : once, NULL);
	}
	while (n-- && chance >= ID_CHANCE_MAX)
		chance *= (max_first + 1.0) / UINT32_MAX;
	if (chance >= ID_CHANCE_MAX)
		return READING_USABLE;
	const char *first = "--value-layout='u32 weight; u32 unused'",
		   *second = "--value-layout='u32 unused; u32 weight'";
	bool first_is_larger = max_first > max_second;
	return reading_refuse(reading,
		xstrdup("its values could be one number of 8 bytes, or two of 4 bytes"),
		first_is_larger ? first : second, first_is_larger ? second : first,
		"--value-layout='u64 value' (one number)", NULL);
}

enum reading_status raw_value_find(
	const struct raw_question *question, struct count_reading *reading)
{
	static const char *const part_values[] = {"u64 value", "u64 count", "u64 total"};
	size_t len = reading->value_len;
	bool named = reading->part != BPFTRACE_PART_NONE;

	if (!len)
		return READING_USABLE;
	if (len != 4 && len != 8) {
		const struct known_value *known = known_value_find(
			question->map, false, question->key_fields, &reading->own_value);

		if (!known)
			return refuse_value(reading);
		use_known(reading, known);
		return READING_USABLE;
	}
	if (!named && !question->weight && check_number(question->map, reading) != READING_USABLE)
		return READING_REFUSED;
	/* cannot fail: the layouts are constants that parse */
	error_destroy(layout_given(len == 8 ? part_values[reading->part] : "u32 value", "layout",
		named ? "value." : "", question->key_fields, &reading->own_value));
	reading->value = &reading->own_value;
	return READING_USABLE;
}

/* ---- stack IDs in the value ----------------------------------------------------------------- */

bool raw_value_find_id(const struct raw_question *question, struct count_reading *reading)
{
	const struct count_map *map = question->map;
	struct layout *own = &reading->own_value;
	struct id_column ids = {};

	if (reading->value) {
		vec_each(field, &reading->value->fields) {
			const char *name = strrchr(field->name, '.');

			if (name && role_is_stack(role_of_name(scan_of(name + 1))))
				return true;
		}
		return false;
	}
	const struct known_value *known = known_value_find(map, true, question->key_fields, own);
	if (!known)
		return false;
	size_t offset = vec_last(&own->fields)->offset; /* of the stack ID */
	count_each(i, map)
		id_column_add(
			&ids, question->index, (int32_t)load_u32(count_map_value(map, i) + offset));
	if (id_column_certain(&ids, question->index)) {
		use_known(reading, known);
		return true;
	}
	layout_deinit(own);
	*own = (struct layout){};
	return false;
}
