// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What values mean, by what all entries hold: three bytes say how long the key is (in 4 bytes), how
 * long the value (in 8), and on how many CPUs; then entries of that size. They are asked for as raw
 * bytes and as pairs of numbers.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "input/roles/values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct shape {
	size_t key_len, value_len;
	int cpus;
};

/* The entries as they are, or as two numbers without a name. */
static struct count_map *read_map(
	const uint8_t *at, const uint8_t *end, const struct shape *shape, bool formatted)
{
	size_t each = shape->key_len + shape->value_len;
	struct count_map *map = count_map_create("m", false);
	struct field fields[] = {{.name = "value.0", .kind = FIELD_NUMBER},
		{.name = "value.1", .kind = FIELD_NUMBER}};
	struct row row = {fields, 2};

	for (int cpu = 0; (size_t)(end - at) >= each; at += each, cpu = (cpu + 1) % shape->cpus) {
		const struct map_entry entry = {.position = "f:1",
			.formatted = formatted ? &row : NULL,
			.key = at,
			.key_len = shape->key_len,
			.value = at + shape->key_len,
			.value_len = shape->value_len,
			.cpu = shape->cpus == 1 ? -1 : cpu};

		for (size_t i = 0; i < 2 && (i + 1) * sizeof(uint64_t) <= shape->value_len; i++)
			memcpy(&fields[i].number, entry.value + i * sizeof(uint64_t),
				sizeof(uint64_t));
		count_map_add(map, &entry);
	}
	return map;
}

static void ask_raw(struct count_map *map)
{
	size_t n = map->entries.len;

	for (int has_id = 0; n && has_id < 2; has_id++) {
		struct layout layout = {};

		(void)known_value_find(map, has_id, NULL, &layout);
		layout_deinit(&layout);
	}
	if (bpftrace_rows_look(map) == BPFTRACE_NO_ROWS)
		return;
	bpftrace_rows_keep(map, BPFTRACE_PART_COUNT);
	if (map->entries.len > n)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;

	if (size < 3)
		return 0;
	const struct shape shape = {
		(1 + data[0] % 32) * 4U, (1 + data[1] % 32) * 8U, 1 + data[2] % 8};
	struct count_map *raw = read_map(data + 3, end, &shape, false);
	struct count_map *pairs = read_map(data + 3, end, &shape, true);

	ask_raw(raw);
	if (bpftrace_pairs_look(pairs) != BPFTRACE_NO_PAIRS)
		bpftrace_pairs_name(pairs);
	count_map_destroy(raw);
	count_map_destroy(pairs);
	return 0;
}
