// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/by_content.h"

#include <string.h>

#include "util/vec.h"

#define FIELDS_MAX 64

static bool fits_word(uint64_t number)
{
	return number <= UINT32_MAX || (int64_t)number == (int32_t)number;
}

/* Finds the fields of the keys, or of the values if OF_VALUE, that have no role in NAMED. */
static void find_fields(struct raw_columns *keys, const struct count_map *map,
	const struct roles *named, bool of_value)
{
	const struct row row = count_map_row(map, 0);

	for (size_t i = 0; i < row.n && keys->fields.len < FIELDS_MAX; i++) {
		const struct field *field = &row.fields[i];
		bool is_text = field->kind == FIELD_TEXT && field->len < RAW_COMM_LEN;

		if (field_in_value(field) != of_value || role_of_field(named, i) ||
			!(is_text || field->kind == FIELD_NUMBER))
			continue;
		vec_push(&keys->fields, (struct raw_field){.name = field->name,
						.number = i,
						.width = is_text ? RAW_COMM_LEN : RAW_WORD,
						.is_text = is_text,
						.is_pair = true});
	}
}

static void widen(struct raw_field *field, uint64_t number)
{
	if (!fits_word(number))
		field->width = 2 * RAW_WORD;
	field->is_pair &= number >> 32 == (uint32_t)number;
}

/* Lays out the key. Numbers have 4 bytes, or 8 if they need more in some entry. */
static void place_fields(struct raw_columns *keys, const struct count_map *map)
{
	for (size_t i = 0; i < map->entries.len; i++) {
		const struct row row = count_map_row(map, i);

		vec_each(field, &keys->fields)
			if (!field->is_text && field->number < row.n)
				widen(field, row.fields[field->number].number);
	}
	vec_each(field, &keys->fields) {
		if (field->width == 2 * RAW_WORD)
			keys->len += keys->len % field->width;
		field->at = keys->len;
		keys->len += field->width;
	}
	keys->row_len = keys->len;
}

static void add_key(struct raw_columns *keys, const struct row *row)
{
	vec_reserve(&keys->rows, keys->len);
	uint8_t *key = memset(keys->rows.data + keys->rows.len, 0, keys->len);
	keys->rows.len += keys->len;
	vec_each(field, &keys->fields) {
		if (field->number >= row->n)
			continue;
		const struct field *from = &row->fields[field->number];
		uint32_t word = (uint32_t)from->number;
		if (!field->is_text)
			memcpy(key + field->at,
				field->width == RAW_WORD ? (void *)&word : &from->number,
				field->width);
		else if (from->kind == FIELD_TEXT)
			memcpy(key + field->at, from->bytes,
				from->len < RAW_COMM_LEN ? from->len : RAW_COMM_LEN - 1);
	}
}

enum reading_status content_roles_find(const struct raw_question *base, const struct roles *named,
	bool of_value, struct count_reading *ret)
{
	static const struct layout no_value;
	struct raw_columns keys = {.index = base->index};
	struct raw_question question = *base;

	find_fields(&keys, base->map, named, of_value);
	place_fields(&keys, base->map);
	if (!keys.len)
		return READING_NO_IDS;
	for (size_t i = 0; i < base->map->entries.len; i++) {
		const struct row row = count_map_row(base->map, i);

		if (base->map->entries.data[i].head == i)
			add_key(&keys, &row);
	}
	question.assembled = &keys;
	if (named->field[ROLE_PID] != ROLE_NO_FIELD || named->field[ROLE_TID] != ROLE_NO_FIELD ||
		named->field[ROLE_PID_TGID] != ROLE_NO_FIELD) {
		question.processes = NULL;
		question.has_pid = true;
	}
	ret->key_len = keys.len;
	ret->value = &no_value;
	enum reading_status status = raw_reading_find(&question, ret);
	ret->value = NULL;
	ret->key_len = 0;
	return status == READING_REFUSED && !ret->choices.len ? READING_NO_IDS : status;
}
