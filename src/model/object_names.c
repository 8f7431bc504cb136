// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/object_names.h"

#include <stdbool.h>
#include <string.h>

#include "util/text.h"

enum { DIGITS_MIN = 6 }; /* of a build ID */

void object_names_deinit(struct object_names *names)
{
	table_deinit(&names->identities);
	vec_deinit(&names->all);
	arena_deinit(&names->memory);
}

uint32_t object_names_number(
	struct object_names *names, const struct frame_object *object, const char *name)
{
	static const struct frame_object unknown;
	const struct frame_object *known = object ?: &unknown;
	const struct build_id_hex build_id = build_id_hex(&known->build_id);
	const char *path = known->path ?: name;
	auto_text struct text key = {};

	if (!name)
		return 0;

	text_printf(&key, "%s;%s", name, *build_id.digits ? build_id.digits : path);
	uint64_t number = table_number(&names->identities, key.data, key.len);
	if (number > names->all.len)
		vec_push(&names->all, (struct known_object){arena_string(&names->memory, name),
					      arena_string(&names->memory, path), build_id});
	return (uint32_t)number;
}

const struct known_object *object_names_get(const struct object_names *names, uint32_t number)
{
	return &names->all.data[number - 1];
}

/*
 * Returns true if no other object of OBJECT's name has a path that ends with END and a build ID
 * with the same first N digits.
 */
static bool is_only(const struct object_names *names, const struct known_object *object,
	const char *end, size_t n)
{
	vec_each(other, &names->all)
		if (other != object && !strcmp(other->name, object->name) &&
			text_ends_with(other->path, end) &&
			!strncmp(other->build_id.digits, object->build_id.digits, n))
			return false;
	return true;
}

const char *object_names_distinct(struct object_names *names, uint32_t number)
{
	const struct known_object *object = object_names_get(names, number);
	const char *digits = object->build_id.digits;
	const char *end = object->path + strlen(object->path);
	auto_text struct text text = {};
	size_t n = DIGITS_MIN;

	if (is_only(names, object, "", 0))
		return object->name;
	for (; end > object->path; end--)
		if (end[-1] == '/' && is_only(names, object, end, 0))
			return end;
	while (n < strlen(digits) && !is_only(names, object, "", n))
		n++;
	if (*digits)
		text_printf(&text, "%s (build %.*s)", object->name, (int)n, digits);
	else
		text_printf(&text, "%s (build ID unknown)", object->name);
	return arena_string(&names->memory, text.data);
}
