// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/entry.h"

#include <string.h>

void entry_deinit(struct entry *entry)
{
	text_deinit(&entry->key);
	text_deinit(&entry->raw);
	text_deinit(&entry->strings);
	text_deinit(&entry->error);
	vec_deinit(&entry->values);
	vec_deinit(&entry->fields);
	vec_deinit(&entry->record);
}

void entry_clear(struct entry *entry)
{
	text_clear(&entry->key);
	text_clear(&entry->raw);
	text_clear(&entry->strings);
	text_clear(&entry->error);
	entry->values.len = entry->fields.len = 0;
	entry->has_key = entry->has_error = entry->repeated = entry->too_large = false;
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

/* Gives value TO what the last one has, and drops the last one. */
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

void entry_add_field(struct entry *entry, int owner, const char *name, enum field_kind kind,
	uint64_t number, const void *bytes, size_t len)
{
	size_t name_len = strlen(name), at = entry->strings.len;

	if (entry->fields.len == ENTRY_FIELDS_MAX || at + name_len + 1 + len > ENTRY_MAX) {
		entry->too_large = true;
		return;
	}
	text_add(&entry->strings, name, name_len + 1);
	text_add(&entry->strings, bytes, len);
	vec_push(&entry->fields, (struct entry_field){.owner = owner, .kind = kind, .name = at,
		.number = number, .at = at + name_len + 1, .len = len});
}

bool entry_is_whole(const struct entry *entry)
{
	bool key = entry->has_key, value = false;

	for (size_t i = 0; i < entry->fields.len; i++)
		*(entry->fields.data[i].owner == ENTRY_KEY ? &key : &value) = true;
	for (size_t i = 0; i < entry->values.len; i++)
		value |= entry->values.data[i].raw;
	return key && value;
}

/* The fields of the key and of value INDEX, into `record`. */
static void make_record(struct entry *entry, int index)
{
	const char *strings = entry->strings.data;

	entry->record.len = 0;
	for (size_t i = 0; i < entry->fields.len; i++) {
		const struct entry_field *field = &entry->fields.data[i];

		if (field->owner != ENTRY_KEY && field->owner != index)
			continue;
		vec_push(&entry->record, (struct field){.name = strings + field->name,
			.kind = field->kind, .number = field->number,
			.bytes = field->kind == FIELD_NUMBER && !field->len ? NULL
				 : strings + field->at,
			.len = field->len});
	}
}

static void emit_value(
	struct entry *entry, int index, struct collector *collector, const char *place)
{
	const struct entry_value *value = &entry->values.data[index];
	struct map_entry map_entry = {.cpu = value->cpu, .place = place};

	if (entry->has_key && value->raw) {
		map_entry.key = entry->key.len ? (uint8_t *)entry->key.data : (uint8_t *)"";
		map_entry.key_len = entry->key.len;
		map_entry.value = entry->raw.data ? (uint8_t *)entry->raw.data + value->at
						  : (uint8_t *)"";
		map_entry.value_len = value->len;
	}
	make_record(entry, index);
	struct record record = {entry->record.data, entry->record.len};
	if (record.n)
		map_entry.formatted = &record;
	if (map_entry.key || map_entry.formatted)
		collector_entry(collector, &map_entry);
}

void entry_emit(struct entry *entry, struct collector *collector, const char *place)
{
	for (size_t i = 0; i < entry->values.len; i++)
		emit_value(entry, (int)i, collector, place);
}
