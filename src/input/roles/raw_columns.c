// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_columns.h"

#include <string.h>

#include "util/text.h"

#define TEXT_LENGTH 4 /* minimum of the longest text, in bytes; less may be a small number */
#define ODD_ROWS 1024 /* rows examined at bytes where no number is expected */
#define FIELDS_MAX 64 /* ignore further fields with names */
#define ERRNO_MAX 4095

/* ---- stack IDs ------------------------------------------------------------------------------ */

void id_column_add(struct id_column *column, const struct stack_index *index, int64_t number)
{
	unsigned int sides;

	column->varied |= number && number != -1;
	if (number < -ERRNO_MAX || number > UINT32_MAX) {
		column->odd++;
	} else if (number < 0) {
		column->errors += number != -1;
	} else if (!(sides = stack_index_sides(index, (uint32_t)number))) {
		column->missing++;
	} else {
		column->found++;
		column->user += sides == STACK_SIDE_USER;
		column->kernel += sides == STACK_SIDE_KERNEL;
		column->either += sides == (STACK_SIDE_USER | STACK_SIDE_KERNEL);
		size_t n = column->n_distinct, i = 0;
		while (n < ID_COLUMN_DISTINCT && i < n && column->distinct[i] != number)
			i++;
		if (i == n)
			column->distinct[column->n_distinct++] = (uint32_t)number;
	}
}

bool id_column_possible(const struct id_column *column)
{
	return column->found && !column->odd && column->missing <= column->found && column->varied;
}

double id_column_chance(const struct id_column *column, const struct stack_index *index)
{
	double fill = stack_index_fill(index), chance = column->errors ? 0 : 1;

	/* that at least half of N numbers are found has a probability below (4 fill) ^ (N / 2) */
	for (size_t i = 0; i < column->n_distinct; i++)
		chance *= column->missing ? 4 * fill : fill;
	return chance > 1 ? 1 : chance;
}

bool id_column_certain(const struct id_column *column, const struct stack_index *index)
{
	return id_column_possible(column) && id_column_chance(column, index) < ID_CHANCE_MAX;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

void raw_columns_deinit(struct raw_columns *columns)
{
	vec_deinit(&columns->rows);
	vec_deinit(&columns->fields);
	vec_deinit(&columns->all);
}

void raw_columns_add(struct raw_columns *columns, const struct count_map *map, size_t value_comm)
{
	const struct count_entry *first = map->entries.data;
	bool has_comm = value_comm != RAW_NONE;

	columns->row_len = columns->len + (has_comm ? RAW_COMM_LEN : 0);
	for (size_t i = 0; i < map->entries.len && columns->len <= RAW_BYTES_MAX; i++) {
		const struct count_entry *entry = &map->entries.data[i];

		if (entry->key_len != first->key_len || entry->value_len != first->value_len)
			continue;
		vec_append(&columns->rows,
			columns->of_value ? count_map_value(map, i) : count_map_key(map, i),
			columns->len);
		if (has_comm)
			vec_append(
				&columns->rows, count_map_value(map, i) + value_comm, RAW_COMM_LEN);
	}
}

/* ---- texts ---------------------------------------------------------------------------------- */

size_t raw_text_length(const uint8_t *bytes, size_t len)
{
	const char *text = (const char *)bytes;
	size_t length = strnlen(text, len);

	for (size_t i = 0; i < length;) {
		size_t n = text_utf8_length(text + i, length - i);

		/* allow a name that was cut within a character */
		if (bytes[i] < 0x20 || bytes[i] == 0x7f || (!n && length - i > 3))
			return SIZE_MAX;
		i += n ? n : 1;
	}
	for (size_t i = length; i < len; i++)
		if (bytes[i])
			return SIZE_MAX;
	return length;
}

/* Returns the size of the text at FIRST, a multiple of RAW_COMM_LEN, or 0 if there is none. */
static size_t text_size(const struct raw_columns *columns, size_t first)
{
	for (size_t len = RAW_COMM_LEN; len <= columns->all.len - first; len += RAW_COMM_LEN) {
		size_t longest = 0;

		raw_row_each(row, columns) {
			size_t length = raw_text_length(row + first, len);
			if (length == SIZE_MAX)
				return 0;
			longest = length > longest ? length : longest;
		}
		if (longest < len) /* otherwise a text continues after LEN */
			return longest >= TEXT_LENGTH ? len : 0;
	}
	return 0;
}

/* ---- numbers -------------------------------------------------------------------------------- */

bool raw_columns_certain(const struct raw_columns *columns, size_t at)
{
	const struct id_column *ids = &columns->all.data[at].ids;

	return id_column_certain(ids, columns->index) &&
	       (at % RAW_WORD == 0 || ids->n_distinct >= 2);
}

/* Finds out where stack IDs begin in packed structs. No other number begins in their bytes. */
static void find_packed_ids(struct raw_columns *columns)
{
	for (size_t at = 0; at + RAW_WORD <= columns->all.len; at++) {
		struct id_column *ids = &columns->all.data[at].ids;

		if (!raw_columns_certain(columns, at)) {
			*ids = (struct id_column){.varied = ids->varied};
			continue;
		}
		for (size_t i = at < RAW_WORD ? 0 : at - RAW_WORD + 1; i < at + RAW_WORD; i++)
			columns->all.data[i].number &= i == at;
	}
}

void raw_columns_read(struct raw_columns *columns)
{
	size_t n = 0;

	columns->all.len = 0;
	for (size_t at = 0; columns->rows.len && at < columns->len; at++)
		vec_push(&columns->all, (struct raw_column){.any_process = true,
						.number = at + RAW_WORD <= columns->len &&
							  (columns->packed || at % RAW_WORD == 0)});
	raw_row_each(row, columns) {
		for (size_t at = 0; at + RAW_WORD <= columns->all.len; at++) {
			struct raw_column *column = &columns->all.data[at];
			uint32_t word = load_u32(row + at);

			if (!column->number && n >= ODD_ROWS)
				continue;
			id_column_add(&column->ids, columns->index, (int32_t)word);
			column->any_process &= word <= PROCESS_ID_MAX || word == UINT32_MAX;
		}
		n++;
	}
	if (columns->packed)
		find_packed_ids(columns);
	for (size_t i = 0; i < columns->all.len; i++) {
		size_t size = columns->all.data[i].number ? text_size(columns, i) : 0;

		columns->all.data[i].text = size;
		columns->all.data[i].number &= !size;
		for (size_t rest = 1; rest < size; rest++)
			columns->all.data[++i].number = false;
	}
}

/* ---- roles ---------------------------------------------------------------------------------- */

const struct raw_roles raw_no_roles = {{[0 ... ROLE_COUNT - 1] = RAW_NONE}};

char *raw_roles_layout(const struct raw_roles *roles, const struct raw_columns *columns)
{
	struct text text = {};
	size_t rest = columns->len - (columns->all.len - columns->all.len % RAW_WORD);

	for (size_t at = 0; at < columns->all.len; at++) {
		const struct raw_column *column = &columns->all.data[at];
		enum role role = role_at(roles->at, at);

		if (!column->text && role == ROLE_COUNT && (!column->number || columns->packed))
			continue;
		text_printf(&text, "%s%s ", text.len ? "; " : "",
			column->text	      ? "char"
			: role_is_stack(role) ? "s32"
					      : "u32");
		if (role == ROLE_COUNT)
			text_printf(&text, "unused%zu", at / RAW_WORD);
		else
			text_add_string(&text, role == ROLE_STACK ? "stack_id" : role_keys[role]);
		if (column->text)
			text_printf(&text, "[%zu]", column->text);
		if (columns->packed)
			text_printf(&text, "@%zu", at);
	}
	if (columns->packed)
		text_add_string(&text, "; u8 rest[]");
	else if (rest)
		text_printf(&text, "%su8 rest[%zu]", text.len ? "; " : "", rest);
	return text_take(&text);
}

/* ---- fields with names ---------------------------------------------------------------------- */

void raw_columns_assemble(struct raw_columns *columns, const struct count_map *map,
	const struct roles *named, bool of_value)
{
	const struct row first = count_map_row(map, 0);

	for (size_t i = 0; i < first.n && columns->fields.len < FIELDS_MAX; i++) {
		const struct field *field = &first.fields[i];
		bool is_text = field->kind == FIELD_TEXT && field->len < RAW_COMM_LEN;

		if (field_in_value(field) != of_value || role_of_field(named, i) ||
			!(is_text || field->kind == FIELD_NUMBER))
			continue;
		vec_push(&columns->fields, (struct raw_field){.name = field->name,
						   .number = i,
						   .at = columns->len,
						   .is_text = is_text,
						   .is_pair = true});
		columns->len += is_text ? RAW_COMM_LEN : 2 * RAW_WORD; /* numbers have 8 bytes */
	}
	columns->row_len = columns->len;
	if (!columns->len)
		return;
	count_each(i, map) {
		const struct row row = count_map_row(map, i);
		bool is_head = map->entries.data[i].head == i;
		uint8_t *key = NULL;

		if (is_head) {
			vec_reserve(&columns->rows, columns->len);
			key = memset(columns->rows.data + columns->rows.len, 0, columns->len);
			columns->rows.len += columns->len;
		}
		vec_each(field, &columns->fields) {
			if (field->number >= row.n)
				continue;
			const struct field *from = &row.fields[field->number];
			uint64_t number = from->number;
			field->is_wide |= number > UINT32_MAX && (int64_t)number != (int32_t)number;
			field->is_pair &= number >> 32 == (uint32_t)number;
			if (is_head && !field->is_text)
				memcpy(key + field->at, &number, sizeof(number));
			else if (is_head && from->kind == FIELD_TEXT)
				memcpy(key + field->at, from->bytes,
					from->len < RAW_COMM_LEN ? from->len : RAW_COMM_LEN - 1);
		}
	}
}

char *raw_roles_key(const struct raw_roles *roles, const struct raw_columns *columns)
{
	auto_text struct text text = {};

	vec_each(field, &columns->fields) {
		enum role lower = role_at(roles->at, field->at), role = lower;

		if (field->is_wide) {
			enum role upper = role_at(roles->at, field->at + RAW_WORD);
			bool threads = columns->all.data[field->at].any_process;
			if (upper == ROLE_PID
					? threads && (lower == ROLE_TID || lower == ROLE_COUNT)
					: lower == ROLE_PID && upper == ROLE_COUNT &&
						  field->is_pair)
				role = ROLE_PID_TGID;
			else if (lower != ROLE_COUNT || upper != ROLE_COUNT)
				return NULL;
		}
		if (role < ROLE_COUNT)
			text_printf(&text, "%s%s=%s", text.len ? "," : "", role_keys[role],
				field->name);
	}
	return text.len ? text_take(&text) : NULL;
}
