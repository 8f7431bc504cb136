// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/packed_rows.h"

#include "util/number.h"

#define SHAPES_COMPARED 8 /* newest shapes that a row is compared with */

/*
 * Format: index of the shape; then for each field its number (zigzag), the length of its bytes, and
 * these or, if they may be a stack, their word codes.
 */

void packed_rows_destroy(struct packed_rows *rows)
{
	vec_deinit(&rows->shapes);
	arena_deinit(&rows->names);
	arena_deinit(&rows->memory);
	word_codes_deinit(&rows->words);
	text_deinit(&rows->packed);
	vec_deinit(&rows->fields);
	arena_deinit(&rows->bytes);
	free(rows);
}

/* ---- shapes ---- */

bool row_shape_fits(const struct row_shape *shape, const struct row *row)
{
	if (shape->n != row->n)
		return false;
	for (size_t i = 0; i < row->n; i++) {
		const struct field *a = &shape->fields[i], *b = &row->fields[i];

		if (a->kind != b->kind || a->width != b->width || a->is_sum != b->is_sum ||
			strcmp(a->name, b->name) != 0)
			return false;
	}
	return true;
}

struct row_shape row_shape_make(const struct row *row, struct arena *memory)
{
	struct field *fields = arena_alloc(memory, row->n * sizeof(*fields));

	for (size_t i = 0; i < row->n; i++)
		fields[i] = (struct field){
			.name = arena_string(memory, row->fields[i].name),
			.kind = row->fields[i].kind,
			.width = row->fields[i].width,
			.is_sum = row->fields[i].is_sum,
		};
	return (struct row_shape){fields, row->n};
}

void packed_rows_rename(struct packed_rows *rows, const char *from, const char *to)
{
	vec_each(shape, &rows->shapes)
		array_each(field, shape->fields, shape->n)
			if (!strcmp(field->name, from))
				field->name = to;
}

/* ---- rows ---- */

/* Returns true if LEN bytes of a field of KIND may be a stack, and are stored as word codes. */
static bool is_coded(enum field_kind kind, size_t len)
{
	return kind != FIELD_TEXT && len >= WORD_CODES_BYTES_MIN;
}

void packed_rows_add_field(struct packed_rows *rows, const struct field *field, struct text *ret)
{
	size_t len = field->kind == FIELD_NUMBER ? 0 : field->len;

	varint_add_signed(ret, field->number);
	varint_add(ret, len);
	if (is_coded(field->kind, len))
		word_codes_add_bytes(&rows->words, field->bytes, len, ret);
	else
		text_add(ret, field->bytes, len);
}

const uint8_t *packed_rows_pack(struct packed_rows *rows, const struct row *row)
{
	struct text *packed = &rows->packed;

	if (!row->n)
		return NULL;
	size_t n = rows->shapes.len, shape = n;
	for (size_t i = n; i-- > 0 && n - i <= SHAPES_COMPARED && shape == n;)
		if (row_shape_fits(&rows->shapes.data[i], row))
			shape = i;
	if (shape == n)
		vec_push(&rows->shapes, row_shape_make(row, &rows->names));
	text_clear(packed);
	varint_add(packed, shape);
	row_each(field, row)
		packed_rows_add_field(rows, field, packed);
	return (const uint8_t *)arena_copy(&rows->memory, packed->data, packed->len);
}

struct row packed_rows_unpack(struct packed_rows *rows, const uint8_t *packed)
{
	if (!packed)
		return (struct row){};
	const struct row_shape *shape = &rows->shapes.data[varint_next(&packed)];
	rows->fields.len = 0;
	vec_append(&rows->fields, shape->fields, shape->n);
	arena_clear(&rows->bytes);
	vec_each(field, &rows->fields) {
		uint64_t number = varint_next(&packed);

		field->number = number >> 1 ^ -(number & 1);
		field->len = varint_next(&packed);
		field->bytes = (const char *)packed;
		if (is_coded(field->kind, field->len)) {
			char *bytes = arena_alloc(&rows->bytes, field->len);

			word_codes_next_bytes(&rows->words, &packed, bytes, field->len);
			field->bytes = bytes;
		} else {
			packed += field->len;
		}
		if (rows->sums_arrays && field->is_sum)
			*field = (struct field){.name = field->name,
				.kind = FIELD_NUMBER,
				.width = sizeof(uint64_t),
				.number = field->number};
	}
	return (struct row){rows->fields.data, shape->n};
}
