// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/probe.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#include "input/live/entries.h"
#include "input/live/shape.h"
#include "input/lists/addresses.h"
#include "util/cleanup.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum {
	ENTRIES_LOOKED_AT = 64,
	ELEMENTS_TRIED = 4096,	/* limit on reads; most elements of an array may be zero */
	BYTES_LOOKED_AT = 1024, /* of a key and of a value */
	WORDS_OF_STACK = 3,	/* consecutive addresses that are taken for a stack */
};

/* The 32-bit numbers at one offset in all entries looked at. */
struct probed_word {
	size_t found, missing; /* number of stack IDs, of other numbers above 0 */
	int32_t first;	       /* the first number above 0 */
	bool differs;	       /* not all numbers above 0 are FIRST */
};

struct map_probe {
	const struct live_map *map;
	const struct live_map *const *stacks;
	size_t n_stacks;
	uint8_t *key, *value, *stack;
	size_t value_bytes, stride;		       /* bytes of all CPUs' values, of one CPU's */
	struct probed_word words[2 * BYTES_LOOKED_AT]; /* by offset in the key, then in the value */
	size_t n;				       /* number of entries looked at */
	bool is_inline;				       /* an entry contains a stack */
};

static void probe_deinit(struct map_probe *probe)
{
	free(probe->key);
	free(probe->value);
	free(probe->stack);
}

static bool is_stack(const struct map_probe *probe, uint32_t id)
{
	for (size_t i = 0; i < probe->n_stacks; i++)
		if (id / 2 < probe->stacks[i]->max_entries &&
			!bpf_map_lookup_elem(probe->stacks[i]->fd, &id, probe->stack))
			return true;
	return false;
}

/* Looks at the numbers at all byte offsets of a key or value, because it may be packed. */
static void look_at_words(
	struct map_probe *probe, const uint8_t *bytes, size_t len, struct probed_word *words)
{
	for (size_t i = 0; i + 4 <= len && i < BYTES_LOOKED_AT; i++) {
		struct probed_word *word = &words[i];
		int32_t id;

		memcpy(&id, bytes + i, sizeof(id));
		if (id <= 0 || word->missing > word->found + 2)
			continue;
		++*(is_stack(probe, (uint32_t)id) ? &word->found : &word->missing);
		word->first = word->first ?: id;
		word->differs |= id != word->first;
	}
}

/* Looks for consecutive addresses. */
static void look_for_stack(struct map_probe *probe, const uint8_t *bytes, size_t len)
{
	size_t run = 0;
	bool wide = false;

	for (size_t at = 0; at + 8 <= len && !probe->is_inline; at += 8) {
		uint64_t word;

		memcpy(&word, bytes + at, sizeof(word));
		bool is_address = address_side(word) != SIDE_UNKNOWN;
		run = is_address ? run + 1 : 0;
		wide = is_address && (wide || word > UINT32_MAX);
		probe->is_inline = wide && run >= WORDS_OF_STACK;
	}
}

static void look_at_entry(struct map_probe *probe)
{
	const uint8_t *value = probe->value;

	for (size_t at = 0; at < probe->value_bytes && scan_is_zero(value, probe->stride);
		at += probe->stride)
		value = probe->value + at;
	if (probe->map->is_array && scan_is_zero(value, probe->stride))
		return;
	probe->n++;
	look_for_stack(probe, probe->key, probe->map->key_size);
	look_for_stack(probe, value, probe->map->value_size);
	look_at_words(probe, probe->key, probe->map->key_size, probe->words);
	look_at_words(probe, value, probe->map->value_size, probe->words + BYTES_LOOKED_AT);
}

static void look_at_entries(struct map_probe *probe)
{
	const uint8_t *last = NULL;

	for (size_t i = 0; i < ELEMENTS_TRIED && probe->n < ENTRIES_LOOKED_AT; i++) {
		if (bpf_map_get_next_key(probe->map->fd, last, probe->key))
			return;
		last = probe->key;
		if (!bpf_map_lookup_elem(probe->map->fd, probe->key, probe->value))
			look_at_entry(probe);
	}
}

static bool layout_has_records(const struct layout *layout)
{
	vec_each(field, &layout->fields)
		if (field->width == LAYOUT_RECORD_WIDTH)
			return true;
	return false;
}

/* Returns true if entries contain struct bpf_stack_build_id according to BTF. */
static bool has_records(const struct live_map *map)
{
	static const struct wanted nothing;
	scope_guard(live_shape_deinit) struct live_shape shape = {};

	error_destroy(live_shape_find(map, &nothing, &shape));
	return layout_has_records(&shape.key.layout) || layout_has_records(&shape.value.layout);
}

bool live_probe(const struct live_map *map, const struct live_map *const *stacks, size_t n)
{
	int cpus = map->per_cpu ? libbpf_num_possible_cpus() : 1;
	size_t stack_size = 1;

	if (cpus <= 0 || map->is_queue || has_records(map))
		return true;
	for (size_t i = 0; i < n; i++)
		if (stacks[i]->value_size > stack_size)
			stack_size = stacks[i]->value_size;
	scope_guard(probe_deinit) struct map_probe probe = {.map = map,
		.stacks = stacks,
		.n_stacks = n,
		.stride = map->per_cpu ? (map->value_size + 7ULL) & ~7ULL : map->value_size,
		.key = xcalloc(1, map->key_size + 1),
		.stack = xmalloc(stack_size)};
	probe.value_bytes = probe.stride * (size_t)cpus;
	probe.value = xmalloc(probe.value_bytes + 1);
	look_at_entries(&probe);
	bool possible = probe.is_inline || (!probe.n && !map->is_array);
	array_each(word, probe.words, array_len(probe.words))
		possible |= word->found > 3 * word->missing &&
			    (word->differs || (probe.n == 1 && !map->is_array));
	return possible;
}
