// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_reading.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

#define CHOICES_MAX 32 /* further ones are not listed */

void reading_deinit(struct count_reading *reading)
{
	layout_deinit(&reading->own_key);
	layout_deinit(&reading->own_value);
	vec_deinit(&reading->fields);
	free(reading->key_text);
	free(reading->reason);
	vec_destroy(&reading->choices, free);
	array_each(evidence, reading->evidence, ROLE_COUNT)
		free(*evidence);
}

void reading_offer(struct count_reading *reading, char *choice)
{
	size_t n = reading->choices.len;
	bool again = n && !strcmp(choice, reading->choices.data[n - 1]);

	reading->has_more |= !again && n == CHOICES_MAX;
	if (again || reading->has_more)
		free(choice);
	else
		vec_push(&reading->choices, choice);
}

enum reading_status reading_refuse(struct count_reading *reading, char *reason, ...)
{
	const char *choice;
	va_list choices;

	free(reading->reason);
	reading->reason = reason;
	va_start(choices, reason);
	while ((choice = va_arg(choices, const char *)))
		reading_offer(reading, xstrdup(choice));
	va_end(choices);
	return READING_REFUSED;
}

bool reading_decode(
	struct count_reading *reading, const struct count_map *map, size_t i, struct row *ret)
{
	const struct count_entry *entry = &map->entries.data[i];

	if (entry->key_len != reading->key_len || entry->value_len != reading->value_len)
		return false;
	const struct row raw = count_map_raw(map, i);
	const struct layout *const parts[] = {reading->key, reading->value};
	reading->fields.len = 0;
	for (size_t part = 0; part < 2; part++) {
		const struct layout *layout = parts[part];

		if (!layout)
			continue;
		vec_reserve(&reading->fields, layout->fields.len);
		reading->fields.len +=
			layout_decode(layout, (const uint8_t *)raw.fields[part].bytes,
				raw.fields[part].len, reading->fields.data + reading->fields.len);
	}
	*ret = (struct row){reading->fields.data, reading->fields.len};
	return true;
}
