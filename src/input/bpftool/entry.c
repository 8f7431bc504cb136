// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/bpftool/entry.h"

#include <string.h>

#include "util/vec.h"
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

/* Moves the content of the last value to TO, and drops the last value. */
static void merge_last(struct entry *entry, struct entry_value *to)
{
	int last = (int)--entry->values.len;
	const struct entry_value *from = &entry->values.data[last];

	if (from->raw) {
		entry->repeated |= to->raw;
		to->raw = true;
		to->at = from->at;
		to->len = from->len;
	}
	for (size_t i = entry->fields.len; i-- && entry->fields.data[i].owner == last;)
		entry->fields.data[i].owner = (int)(to - entry->values.data);
}

void entry_set_cpu(struct entry *entry, int cpu)
{
	for (size_t i = 0; i + 1 < entry->values.len; i++) {
		if (entry->values.data[i].cpu == cpu) {
			merge_last(entry, &entry->values.data[i]);
			return;
		}
	}
	entry->values.data[entry->values.len - 1].cpu = cpu;
}

void entry_set_raw(struct entry *entry, size_t at)
{
	struct entry_value *value = &entry->values.data[entry->values.len - 1];

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

bool entry_is_keyless(const struct entry *entry)
{
	return entry->has_key && !entry->key.len && !entry->key_fields;
}

bool entry_is_whole(const struct entry *entry)
{
	bool key = entry->has_key, value = false;

	vec_each(field, &entry->fields)
		*(field->owner == ENTRY_KEY ? &key : &value) = true;
	for (size_t i = 0; i < entry->values.len; i++)
		value |= entry->values.data[i].raw;
	return key && value;
}

COMPARE(compare_fields, struct entry_field,
	order_of(a->owner, b->owner) ?: order_of(a->number, b->number))

/* Sorts the fields: first the key's, then those of value 0, 1, … Most dumps are in this order. */
static void sort_fields(struct entry *entry)
{
	const struct entry_field *fields = entry->fields.data;

	for (size_t i = 1; i < entry->fields.len; i++) {
		if (compare_fields(&fields[i - 1], &fields[i]) > 0) {
			vec_sort(&entry->fields, compare_fields);
			return;
		}
	}
}

/*
 * Returns the size in bytes of an element of FIELD, an array that is the whole value, or 0 if it is
 * unknown because the value has no raw bytes.
 */
static uint8_t element_width(const struct entry *entry, const struct entry_field *field)
{
	const struct entry_value *value = &entry->values.data[field->owner];
	size_t width = value->raw ? value->len / field->elements : 0;

	return width <= sizeof(uint64_t) ? (uint8_t)width : 0;
}

/* Adds OWNER's fields, which start at index FIRST, to `row`. Returns the index after them. */
static size_t add_to_row(struct entry *entry, int owner, size_t first)
{
	size_t i = first;

	for (; i < entry->fields.len && entry->fields.data[i].owner == owner; i++) {
		const struct entry_field *field = &entry->fields.data[i];

		vec_push(&entry->row, field->field);
		if (field->elements)
			vec_last(&entry->row)->width = element_width(entry, field);
	}
	return i;
}

/* Emits value INDEX. `row` must hold its fields and those of the key. */
static void emit_value(
	struct entry *entry, size_t index, struct collector *collector, const char *position)
{
	const struct entry_value *value = &entry->values.data[index];
	struct map_entry map_entry = {.cpu = value->cpu, .position = position};
	struct row row = {entry->row.data, entry->row.len};

	if (entry->has_key && value->raw) {
		map_entry.key = (const uint8_t *)(entry->key.data ? entry->key.data : "");
		map_entry.key_len = entry->key.len;
		map_entry.value =
			(const uint8_t *)(entry->raw.data ? entry->raw.data + value->at : "");
		map_entry.value_len = value->len;
	}
	if (row.n)
		map_entry.formatted = &row;
	if (map_entry.key || map_entry.formatted)
		collector_entry(collector, &map_entry);
}

static void emit(struct entry *entry, struct collector *collector, const char *position)
{
	sort_fields(entry);
	entry->row.len = 0;
	size_t next = add_to_row(entry, ENTRY_KEY, 0), key_fields = next;

	for (size_t i = 0; i < entry->values.len; i++) {
		entry->row.len = key_fields;
		next = add_to_row(entry, (int)i, next);
		emit_value(entry, i, collector, position);
	}
}

void entry_finish(struct entry *entry, struct dump *dump, const char *position)
{
	if (entry->too_large)
		dump_warn(dump, "%s: entry skipped: larger than a map entry can be", position);
	else if (entry->odd)
		dump_warn(dump, "%s: entry skipped: not all of its bytes look like \"0x0c\"",
			position);
	else if (entry->has_error)
		collector_entry_error(dump->collector, entry->error.data);
	else
		emit(entry, dump->collector, position);
}
