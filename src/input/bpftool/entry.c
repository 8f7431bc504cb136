// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/bpftool/entry.h"

#include <string.h>

#include "util/sort.h"

void entry_deinit(struct entry *entry)
{
	text_deinit(&entry->key);
	text_deinit(&entry->raw);
	arena_deinit(&entry->strings);
	text_deinit(&entry->error);
	vec_deinit(&entry->values);
	vec_deinit(&entry->fields);
	vec_deinit(&entry->row);
}

void entry_clear(struct entry *entry)
{
	text_clear(&entry->key);
	text_clear(&entry->raw);
	arena_clear(&entry->strings);
	text_clear(&entry->error);
	entry->values.len = entry->fields.len = entry->key_fields = entry->strings_len = 0;
	entry->has_key = entry->has_error = false;
	entry->repeated = entry->too_large = entry->odd = entry->is_map = false;
}

int entry_add_value(struct entry *entry)
{
	if (entry->values.len == ENTRY_CPUS_MAX) {
		entry->too_large = true;
		entry->values.len--;
	}
	vec_push(&entry->values, (struct entry_value){.cpu = -1});
	return (int)entry->values.len - 1;
}

void entry_set_cpu(struct entry *entry, int cpu)
{
	int last = (int)entry->values.len - 1, same = 0;
	struct entry_value *from = &entry->values.data[last];

	while (same < last && entry->values.data[same].cpu != cpu)
		same++;
	if (same == last) {
		from->cpu = cpu;
		return;
	}
	/* move the content to the earlier value, and drop the last one */
	struct entry_value *to = &entry->values.data[same];
	if (from->raw) {
		entry->repeated |= to->raw;
		to->raw = true;
		to->at = from->at;
		to->len = from->len;
	}
	for (size_t i = entry->fields.len; i-- && entry->fields.data[i].owner == last;)
		entry->fields.data[i].owner = same;
	entry->values.len--;
}

void entry_set_raw(struct entry *entry, size_t at)
{
	struct entry_value *value = vec_last(&entry->values);

	value->raw = true;
	value->at = at;
	value->len = entry->raw.len - at;
}

void entry_add_field(struct entry *entry, int owner, const struct field *field, size_t elements)
{
	size_t bytes = strlen(field->name) + 1 + field->len;
	struct field copy = *field;

	if (entry->fields.len == ENTRY_FIELDS_MAX || entry->key_fields == ENTRY_KEY_FIELDS_MAX ||
		entry->strings_len + bytes > ENTRY_MAX) {
		entry->too_large = true;
		return;
	}
	entry->key_fields += owner == ENTRY_KEY;
	entry->strings_len += bytes;
	copy.name = arena_string(&entry->strings, field->name);
	if (field->bytes || field->kind != FIELD_NUMBER)
		copy.bytes = arena_copy(&entry->strings, field->bytes, field->len);
	vec_push(&entry->fields,
		(struct entry_field){owner, (uint32_t)entry->fields.len, elements, copy});
}

bool entry_is_whole(const struct entry *entry)
{
	bool value = entry->fields.len > entry->key_fields;

	vec_each(of_cpu, &entry->values)
		value |= of_cpu->raw;
	return value && (entry->has_key || entry->key_fields);
}

COMPARE(compare_fields, struct entry_field,
	order_of(a->owner, b->owner) ?: order_of(a->number, b->number))

/* Adds OWNER's fields, which start at index FIRST, to `row`. Returns the index after them. */
static size_t add_to_row(struct entry *entry, int owner, size_t first)
{
	size_t i = first;

	for (; i < entry->fields.len && entry->fields.data[i].owner == owner; i++) {
		const struct entry_field *field = &entry->fields.data[i];

		vec_push(&entry->row, field->field);
		if (!field->elements)
			continue;
		/* an array that is the whole value; the raw bytes tell how wide its elements are */
		const struct entry_value *value = &entry->values.data[owner];
		size_t width = value->raw ? value->len / field->elements : 0;
		if (width <= sizeof(uint64_t))
			vec_last(&entry->row)->width = (uint8_t)width;
	}
	return i;
}

void entry_finish(struct entry *entry, struct dump *dump, const char *position)
{
	if (entry->too_large || entry->odd) {
		dump_warn(dump, "%s: entry skipped: %s", position,
			entry->too_large ? "larger than a map entry can be"
					 : "not all of its bytes look like \"0x0c\"");
		return;
	}
	if (entry->has_error) {
		collector_entry_error(dump->collector, entry->error.data);
		return;
	}
	/* first the key's, then those of value 0, 1, …: most dumps are in this order */
	vec_sort(&entry->fields, compare_fields);
	entry->row.len = 0;
	size_t next = add_to_row(entry, ENTRY_KEY, 0), key_fields = next;

	for (size_t i = 0; i < entry->values.len; i++) {
		const struct entry_value *value = &entry->values.data[i];
		struct map_entry map_entry = {.cpu = value->cpu, .position = position};

		entry->row.len = key_fields;
		next = add_to_row(entry, (int)i, next);
		const struct row row = {entry->row.data, entry->row.len};

		if (entry->has_key && value->raw) {
			map_entry.key = (const uint8_t *)(entry->key.data ?: "");
			map_entry.key_len = entry->key.len;
			map_entry.value =
				(const uint8_t *)(entry->raw.data ? entry->raw.data + value->at
								  : "");
			map_entry.value_len = value->len;
		}
		if (row.n)
			map_entry.formatted = &row;
		if (map_entry.key || row.n)
			collector_entry(dump->collector, &map_entry);
	}
}
