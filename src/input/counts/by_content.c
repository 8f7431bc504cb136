// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/by_content.h"

#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

#define COLUMNS_MAX 64
#define WORD 4	    /* size of a number in keys, in bytes */
#define TEXT_LEN 16 /* size of a comm, in bytes */

/* a field: its index in rows, and its offset and size in the assembled keys, in bytes */
struct content_column {
	size_t field, at, width;
	bool is_text;
	bool is_pair; /* both halves of the 8 bytes are equal in all entries */
};

struct content_search {
	const struct count_map *map;
	struct content_column columns[COLUMNS_MAX];
	size_t n, len; /* number of columns; size of a key, in bytes */
	uint8_t *key;  /* the last key assembled */
};

static bool fits_word(uint64_t number)
{
	return number <= UINT32_MAX || (int64_t)number == (int32_t)number;
}

static void find_columns(struct content_search *search, const struct roles *named, bool of_value)
{
	const struct row row = count_map_row(search->map, 0);

	for (size_t i = 0; i < row.n && search->n < COLUMNS_MAX; i++) {
		const struct field *field = &row.fields[i];
		bool is_text = field->kind == FIELD_TEXT && field->len < TEXT_LEN;

		if (field_in_value(field) != of_value || role_of_field(named, i) ||
			!(is_text || field->kind == FIELD_NUMBER))
			continue;
		search->columns[search->n++] = (struct content_column){.field = i,
			.width = is_text ? TEXT_LEN : WORD,
			.is_text = is_text,
			.is_pair = true};
	}
}

static void widen_column(struct content_column *column, uint64_t number)
{
	if (!fits_word(number))
		column->width = 2 * WORD;
	column->is_pair &= number >> 32 == (uint32_t)number;
}

/* Lays out the key. Numbers have 4 bytes, or 8 if they need more in some entry. */
static void place_columns(struct content_search *search)
{
	for (size_t i = 0; i < search->map->entries.len; i++) {
		const struct row row = count_map_row(search->map, i);

		for (size_t j = 0; j < search->n; j++) {
			struct content_column *column = &search->columns[j];

			if (!column->is_text && column->field < row.n)
				widen_column(column, row.fields[column->field].number);
		}
	}
	for (size_t j = 0; j < search->n; j++) {
		struct content_column *column = &search->columns[j];

		if (column->width == 2 * WORD)
			search->len += search->len % column->width;
		column->at = search->len;
		search->len += column->width;
	}
}

/* Assembles the key of entry I (struct raw_naming). */
static const uint8_t *key_bytes(const void *context, size_t i)
{
	const struct content_search *search = context;
	const struct row row = count_map_row(search->map, i);

	if (search->map->entries.data[i].head != i)
		return NULL;
	memset(search->key, 0, search->len);
	for (size_t j = 0; j < search->n; j++) {
		const struct content_column *column = &search->columns[j];
		uint8_t *at = search->key + column->at;

		if (column->field >= row.n)
			continue;
		const struct field *field = &row.fields[column->field];
		uint32_t word = (uint32_t)field->number;
		if (!column->is_text)
			memcpy(at, column->width == WORD ? (void *)&word : &field->number,
				column->width);
		else if (field->kind == FIELD_TEXT)
			memcpy(at, field->bytes, field->len < TEXT_LEN ? field->len : TEXT_LEN - 1);
	}
	return search->key;
}

static const char *name_of(const struct content_search *search, const struct content_column *column)
{
	return count_map_row(search->map, 0).fields[column->field].name;
}

/* Returns the name of the field at byte AT of the keys (struct raw_naming). */
static const char *field_name(const void *context, size_t at)
{
	const struct content_search *search = context;
	size_t j = 0;

	while (at - search->columns[j].at >= search->columns[j].width)
		j++;
	return name_of(search, &search->columns[j]);
}

/* Sets RET to the role of COLUMN. Returns false if only a half of it has a role. */
static bool find_role(
	const struct content_column *column, const struct raw_roles *roles, enum role *ret)
{
	enum role lower = role_at(roles->at, column->at), upper;

	*ret = lower;
	if (column->width != 2 * WORD)
		return true;
	upper = role_at(roles->at, column->at + WORD);
	if (upper == ROLE_PID ? lower == ROLE_TID || lower == ROLE_COUNT
			      : lower == ROLE_PID && upper == ROLE_COUNT && column->is_pair)
		*ret = ROLE_PID_TGID;
	return *ret == ROLE_PID_TGID || (lower == ROLE_COUNT && upper == ROLE_COUNT);
}

/* Returns the text for --key that assigns ROLES (struct raw_naming). */
static char *key_fields(const void *context, const struct raw_roles *roles)
{
	const struct content_search *search = context;
	scope_guard(text_deinit) struct text text = {};

	for (size_t j = 0; j < search->n; j++) {
		enum role role;

		if (!find_role(&search->columns[j], roles, &role))
			return NULL;
		if (role < ROLE_COUNT)
			text_printf(&text, "%s%s=%s", text.len ? "," : "", role_key(role),
				name_of(search, &search->columns[j]));
	}
	return text.len ? xstrdup(text.data) : NULL;
}

enum reading_status content_roles_find(const struct raw_question *base, const struct roles *named,
	bool of_value, struct count_reading *ret)
{
	static const struct layout no_value;
	struct content_search search = {.map = base->map};

	find_columns(&search, named, of_value);
	place_columns(&search);
	if (!search.n)
		return READING_NO_IDS;
	auto_free uint8_t *key = xmalloc(search.len);
	search.key = key;
	const struct raw_naming naming = {&search, key_bytes, key_fields, field_name};
	struct raw_question question = *base;
	question.naming = &naming;
	if (named->field[ROLE_PID] != ROLE_NO_FIELD || named->field[ROLE_TID] != ROLE_NO_FIELD ||
		named->field[ROLE_PID_TGID] != ROLE_NO_FIELD) {
		question.processes = NULL;
		question.has_pid = true;
	}
	ret->key_len = search.len;
	ret->value = &no_value;
	enum reading_status status = raw_reading_find(&question, ret);
	ret->value = NULL;
	ret->key_len = 0;
	return status == READING_REFUSED && !ret->choices.len ? READING_NO_IDS : status;
}
