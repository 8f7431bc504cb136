// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/shape.h"

#include <bpf/btf.h>
#include <errno.h>

void live_shape_deinit(struct live_shape *shape)
{
	live_type_deinit(&shape->key);
	live_type_deinit(&shape->value);
}

struct error *live_shape_find(
	const struct live_map *map, const struct wanted *wanted, struct live_shape *ret)
{
	struct btf *btf;

	ret->map = map;
	if (!map->btf_id || !map->key_type || !map->value_type || map->kind != LIVE_COUNTS)
		return NULL;
	btf = btf__load_from_kernel_by_id(map->btf_id);
	if (!btf && (errno == ENOMEM || errno == EMFILE || errno == ENFILE))
		return error_errno(errno, "%s: cannot read its BTF", map->label);
	if (!btf)
		return NULL;
	live_type_make(btf, map->key_type, "key", map->key_size, &ret->key);
	live_type_make(btf, map->value_type, "value", map->value_size, &ret->value);
	ret->typed = ret->key.layout.fields.len && ret->value.layout.fields.len;
	layout_want(&ret->key.layout, wanted);
	layout_want(&ret->value.layout, wanted);
	btf__free(btf);
	return NULL;
}

size_t live_shape_room(const struct live_shape *shape)
{
	return shape->key.layout.fields.len + shape->value.layout.fields.len;
}

size_t live_shape_key(const struct live_shape *shape, const uint8_t *key, struct field *fields)
{
	return shape->typed ? layout_decode(&shape->key.layout, key, shape->map->key_size, fields)
			    : 0;
}

struct map_entry live_shape_entry(const struct live_shape *shape, const uint8_t *key,
	const uint8_t *value, int cpu, size_t key_fields, struct field *fields, struct row *row)
{
	const struct live_map *map = shape->map;
	struct map_entry entry = {.key = map->key_size ? key : NULL,
		.value = value,
		.key_len = map->key_size,
		.value_len = map->value_size,
		.cpu = cpu};

	if (!shape->typed)
		return entry;
	*row = (struct row){fields, key_fields + layout_decode(&shape->value.layout, value,
							 map->value_size, fields + key_fields)};
	entry.formatted = row;
	return entry;
}
