// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/value_array.h"

#include <string.h>

#include "input/roles/roles.h"

/* Returns the value of ROW if it is an unnamed array of numbers, or NULL. */
static const struct field *array_of(const struct row *row)
{
	const struct field *found = NULL;

	for (size_t i = 0; i < row->n; i++) {
		const struct field *field = &row->fields[i];

		if (!field_in_value(field))
			continue;
		if (found || !field->is_sum)
			return NULL;
		found = field;
	}
	return found;
}

/*
 * Returns true if an element is too large for a byte. Other arrays are FIELD_BYTES, or all zero.
 */
static bool is_large(const struct field *field)
{
	return (field->kind == FIELD_WORDS || field->kind == FIELD_NUMBERS) &&
	       !scan_is_zero(field->bytes, field->len);
}

static bool names_stack(const struct row *row)
{
	for (size_t i = 0; i < row->n; i++) {
		const char *name = field_last_name(&row->fields[i]);

		if (strcmp(row->fields[i].name, "key") &&
			role_is_stack(role_of_name(name, strlen(name))))
			return true;
	}
	return false;
}

/* properties of the arrays of all entries */
struct array_shape {
	bool wide, small;    /* some have elements wider than a byte; some have bytes */
	bool stack, numbers; /* some look like stacks; some do not, and are not zero */
};

/* Examines the values of MAP. Returns false if there are none, or if some are no such arrays. */
static bool look_at(const struct count_map *map, struct array_shape *ret)
{
	*ret = (struct array_shape){};
	for (size_t i = 0; i < map->entries.len; i++) {
		const struct row row = count_map_row(map, i);
		const struct field *field = array_of(&row);

		if (!field)
			return false;
		bool large = is_large(field), stack = large && field_looks_like_stack(field);

		ret->wide |= large || field->width > 1;
		ret->small |= field->width == 1;
		ret->stack |= stack;
		ret->numbers |= large && !stack;
	}
	return map->entries.len > 0;
}

void value_array_settle(struct count_map *map)
{
	struct array_shape look;

	if (map->is_rows || !look_at(map, &look) || !look.wide)
		return;
	const struct row first = count_map_row(map, 0);
	if (look.stack && !look.numbers && !names_stack(&first))
		return;
	map->rows->sums_arrays = true;
}

bool value_array_unclear(const struct count_map *map)
{
	struct array_shape look;

	return !map->is_rows && look_at(map, &look) && !look.wide && !look.small;
}
