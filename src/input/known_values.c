// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/known_values.h"

#include "input/raw_columns.h"
#include "util/cleanup.h"

static const struct known_value known[] = {
	{"libbpf-tools offcputime", "u64 delta; char comm[16]", false},
	{"libbpf-tools futexctn",
		"u32 slots[36]; char comm[16]; u64 contended; u64 total_elapsed; u64 min; u64 max",
		false},
	{"libbpf-tools memleak", "u64 size; u64 timestamp; s32 stack_id", true},
};

/* Whether the texts of LAYOUT are text in all entries, and the sizes right. */
static bool layout_agrees(const struct layout *layout, const struct count_map *map)
{
	for (size_t i = 0; i < map->entries.len; i++) {
		const struct count_entry *entry = &map->entries.data[i];

		if (!layout_fits(layout, entry->value_len))
			return false;
		for (size_t j = 0; j < layout->fields.len; j++) {
			const struct layout_field *field = &layout->fields.data[j];

			if (field->kind == FIELD_TEXT &&
				raw_text_length(entry->value + field->offset, field->size) ==
					SIZE_MAX)
				return false;
		}
	}
	return true;
}

static bool agrees(const struct known_value *value, const struct count_map *map)
{
	scope_guard(layout_deinit) struct layout layout = {};
	struct error *err = layout_parse(value->text, "layout", "value.", &layout);

	error_destroy(err); /* the texts are our own */
	return !err && layout_agrees(&layout, map);
}

const struct known_value *known_value_find(const struct count_map *map, bool has_id)
{
	const struct known_value *found = NULL;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (known[i].has_id != has_id || !agrees(&known[i], map))
			continue;
		if (found)
			return NULL;
		found = &known[i];
	}
	return found;
}
