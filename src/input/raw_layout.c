// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/raw_layout.h"

#include <string.h>

#include "input/known_layouts.h"

void raw_layout_deinit(struct raw_layout *layout)
{
	layout_deinit(&layout->own_key);
	layout_deinit(&layout->own_value);
	vec_deinit(&layout->fields);
	layout->key = layout->value = NULL;
}

static bool decode_part(struct raw_layout *layout, const struct layout *part, const uint8_t *data,
	size_t len)
{
	if (!part)
		return true;
	vec_reserve(&layout->fields, part->fields.len);
	if (!layout_decode(part, data, len, layout->fields.data + layout->fields.len))
		return false;
	layout->fields.len += part->fields.len;
	return true;
}

bool raw_layout_decode(
	struct raw_layout *layout, const struct count_entry *entry, struct record *ret)
{
	if (entry->key_len != layout->key_len || entry->value_len != layout->value_len)
		return false;
	layout->fields.len = 0;
	if (!decode_part(layout, layout->key, entry->key, entry->key_len) ||
		!decode_part(layout, layout->value, entry->value, entry->value_len))
		return false;
	*ret = (struct record){layout->fields.data, layout->fields.len};
	return true;
}

/* The texts here are our own: one that does not parse is like one that does not fit. */
static bool parse_own(const char *text, const char *prefix, size_t len, struct layout *ret)
{
	struct error *err = layout_parse(text, "layout", prefix, ret);

	if (err) {
		error_destroy(err);
		return false;
	}
	if (layout_fits(ret, len))
		return true;
	layout_deinit(ret);
	*ret = (struct layout){};
	return false;
}

/* A value that is a plain number has just the name "value", as with BTF. */
static bool plain_value(size_t len, struct layout *ret)
{
	const char *text = len == 8 ? "u64 value" : len == 4 ? "u32 value" : NULL;

	return text && parse_own(text, "", len, ret);
}

static bool use_known(const struct known_layout *known, struct raw_layout *layout)
{
	if (!layout->key) {
		if (!parse_own(known->key, "key.", layout->key_len, &layout->own_key))
			return false;
		layout->key = &layout->own_key;
	}
	if (layout->value || (!known->value && !plain_value(layout->value_len, &layout->own_value)))
		return true;
	if (known->value &&
		!parse_own(known->value, "value.", layout->value_len, &layout->own_value))
		return false;
	layout->value = &layout->own_value;
	return true;
}

/* Tries one known layout for what was not given. */
static size_t try_known(const struct count_map *map, const struct stack_index *index,
	const struct known_layout *known, const struct raw_layout *given)
{
	struct raw_layout trial = {.key = given->key,
		.value = given->value,
		.key_len = given->key_len,
		.value_len = given->value_len};
	size_t score = use_known(known, &trial) ? known_layout_score(map, index, &trial) : 0;

	raw_layout_deinit(&trial);
	return score;
}

/* Whether two layouts would read different things from what was not given. */
static bool differ(const struct known_layout *a, const struct known_layout *b,
	const struct raw_layout *given)
{
	if (given->key)
		return strcmp(a->value, b->value) != 0;
	return !a->value == !b->value;
}

/* The best known layout into RET, which holds what was given. */
static enum raw_layout_found find_known(const struct count_map *map,
	const struct stack_index *index, struct raw_layout *ret, const char *names[2])
{
	const struct known_layout *known, *best = NULL, *rival = NULL;
	size_t best_score = 0;

	for (size_t i = 0; (known = known_layout_at(i)); i++) {
		/* beside a given part only what says something about the other one counts */
		if (ret->key && !known->value)
			continue;
		size_t score = try_known(map, index, known, ret);
		if (score && score == best_score && differ(known, best, ret))
			rival = known;
		if (score < best_score || !score || (score == best_score && !known->value))
			continue;
		if (score > best_score)
			rival = NULL;
		best = known;
		best_score = score;
	}
	if (!best)
		return RAW_LAYOUT_NONE;
	names[0] = best->name;
	names[1] = rival ? rival->name : NULL;
	if (rival)
		return RAW_LAYOUT_AMBIGUOUS;
	use_known(best, ret);
	return RAW_LAYOUT_FOUND;
}

enum raw_layout_found raw_layout_find(const struct count_map *map, const struct stack_index *index,
	const struct layout *key, const struct layout *value, struct raw_layout *ret,
	const char *names[2])
{
	const struct count_entry *first = &map->entries.data[0];

	ret->key = key;
	ret->value = value;
	ret->key_len = first->key_len;
	ret->value_len = first->value_len;
	if (key && !layout_fits(key, ret->key_len))
		return RAW_LAYOUT_KEY_SIZE;
	if (value && !layout_fits(value, ret->value_len))
		return RAW_LAYOUT_VALUE_SIZE;
	if (!key)
		return find_known(map, index, ret, names);
	if (value)
		return RAW_LAYOUT_FOUND;
	if (plain_value(ret->value_len, &ret->own_value))
		ret->value = &ret->own_value;
	else
		find_known(map, index, ret, names);
	return RAW_LAYOUT_FOUND;
}
