// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/dump.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/json_text.h"
#include "util/vec.h"

enum { WRITE_BYTES = 1 << 16, STATUS_LEN = 4, BUILD_ID_LEN = 20 };

static void write_text(struct live_dump *dump)
{
	errno = 0;
	if (fwrite(dump->text.data, 1, dump->text.len, dump->file) != dump->text.len &&
		!dump->errnum)
		dump->errnum = errno ? errno : EIO;
	text_clear(&dump->text);
}

static void add(struct live_dump *dump, const char *s)
{
	text_add_string(&dump->text, s);
}

/* Adds BYTES as bpftool prints them: ["0x0c","0x00"] */
static void add_bytes(struct live_dump *dump, const uint8_t *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char one[] = "\"0x00\",";

	text_add_char(&dump->text, '[');
	for (size_t i = 0; i < len; i++) {
		one[3] = digits[bytes[i] >> 4];
		one[4] = digits[bytes[i] & 15];
		text_add(&dump->text, one, i + 1 < len ? 7 : 6);
	}
	text_add_char(&dump->text, ']');
}

/* ---- formatted ---- */

static void add_number(struct live_dump *dump, const struct layout_field *field, const uint8_t *at)
{
	uint64_t number = layout_number(field, at);

	if (field->is_signed)
		text_printf(&dump->text, "%" PRId64, (int64_t)number);
	else
		text_add_decimal(&dump->text, number);
}

static void add_record(struct live_dump *dump, const uint8_t *record);

static void add_array(struct live_dump *dump, const struct layout_field *field, const uint8_t *at)
{
	text_add_char(&dump->text, '[');
	for (size_t i = 0; i < field->size; i += field->width) {
		json_add_comma(&dump->text);
		if (field->width == LAYOUT_RECORD_WIDTH)
			add_record(dump, at + i);
		else
			add_number(dump, field, at + i);
	}
	text_add_char(&dump->text, ']');
}

static void add_record(struct live_dump *dump, const uint8_t *record)
{
	static const struct layout_field status = {.width = 4, .is_signed = true},
					 build_id = {.width = 1, .size = BUILD_ID_LEN},
					 offset = {.width = 8};

	add(dump, "{\"status\":");
	add_number(dump, &status, record);
	add(dump, ",\"build_id\":");
	add_array(dump, &build_id, record + STATUS_LEN);
	add(dump, ",\"offset\":");
	add_number(dump, &offset, record + STATUS_LEN + BUILD_ID_LEN);
	text_add_char(&dump->text, '}');
}

/* Returns true if BYTES are printable ASCII with a NUL, which bpftool prints as a string. */
static bool is_string(const uint8_t *bytes, size_t len)
{
	size_t n = strnlen((const char *)bytes, len);

	array_each(byte, bytes, n)
		if (*byte < 0x20 || *byte > 0x7e)
			return false;
	return n < len && layout_is_text(bytes, len);
}

/* Writes unnamed arrays of bytes as numbers: they may be stacks that begin like a text. */
static void add_field(struct live_dump *dump, const struct layout_field *field, const uint8_t *data)
{
	const uint8_t *bytes = data + field->offset;

	if (field->kind == FIELD_NUMBER && !field->is_sum) {
		add_number(dump, field, bytes);
	} else if (field->is_chars && !field->unnamed && is_string(bytes, field->size)) {
		text_add_char(&dump->text, '"');
		text_add_json(&dump->text, (const char *)bytes,
			strnlen((const char *)bytes, field->size));
		text_add_char(&dump->text, '"');
	} else {
		add_array(dump, field, bytes);
	}
}

static void add_formatted(struct live_dump *dump, const struct live_type *type, const uint8_t *data)
{
	static const char *const marks[] = {[LIVE_OBJECT] = "{",
		[LIVE_OBJECT_END] = "}",
		[LIVE_ARRAY] = "[",
		[LIVE_ARRAY_END] = "]"};
	bool first = true;
	size_t next = 0;

	vec_each(step, &type->steps) {
		bool ends = step->mark == LIVE_OBJECT_END || step->mark == LIVE_ARRAY_END;

		if (!first && !ends)
			text_add_char(&dump->text, ',');
		if (step->name != SIZE_MAX) {
			const char *name = type->names.data + step->name;

			text_add_char(&dump->text, '"');
			text_add_json(&dump->text, name, strlen(name));
			add(dump, "\":");
		}
		if (step->mark == LIVE_FIELD)
			add_field(dump, &type->layout.fields.data[next++], data);
		else
			add(dump, marks[step->mark]);
		first = step->mark == LIVE_OBJECT || step->mark == LIVE_ARRAY;
	}
}

/* ---- entries ---- */

/*
 * Adds "value":… or, of a per-CPU map, "values":[{"cpu":0,"value":…},…]. Writes raw bytes if
 * TYPE is NULL.
 */
static void add_values(struct live_dump *dump, const struct live_type *type, const uint8_t *value)
{
	const struct live_map *map = dump->shape->map;
	bool per_cpu = map->per_cpu;

	add(dump, per_cpu ? "\"values\":[" : "\"value\":");
	for (size_t i = 0; i < map->n_cpus; i++, value += map->stride) {
		if (per_cpu)
			text_printf(&dump->text, "%s{\"cpu\":%zu,\"value\":", i ? "," : "", i);
		if (type)
			add_formatted(dump, type, value);
		else
			add_bytes(dump, value, map->value_size);
		if (per_cpu)
			text_add_char(&dump->text, '}');
	}
	if (per_cpu)
		text_add_char(&dump->text, ']');
}

void live_dump_entry(struct live_dump *dump, const uint8_t *key, const uint8_t *value)
{
	const struct live_shape *shape = dump->shape;

	if (!dump->file)
		return;
	add(dump, dump->entries ? ",\n{\"key\":" : "\n{\"key\":");
	dump->entries = true;
	add_bytes(dump, key, shape->map->key_size);
	text_add_char(&dump->text, ',');
	add_values(dump, NULL, value);
	if (shape->typed) {
		add(dump, ",\"formatted\":{\"key\":");
		add_formatted(dump, &shape->key, key);
		text_add_char(&dump->text, ',');
		add_values(dump, &shape->value, value);
		text_add_char(&dump->text, '}');
	}
	text_add_char(&dump->text, '}');
	if (dump->text.len >= WRITE_BYTES)
		write_text(dump);
}

void live_dump_begin(struct live_dump *dump, FILE *file)
{
	*dump = (struct live_dump){.file = file};
	text_add_char(&dump->text, '[');
}

void live_dump_map(struct live_dump *dump, const struct live_shape *shape)
{
	text_printf(&dump->text, "%s{\"id\":%u,\"elements\":[", dump->maps ? ",\n" : "",
		shape->map->id);
	dump->maps = true;
	dump->entries = false;
	dump->shape = shape;
}

void live_dump_map_end(struct live_dump *dump)
{
	add(dump, "]}");
}

void live_dump_end(struct live_dump *dump)
{
	add(dump, "]\n");
	if (dump->file)
		write_text(dump);
	text_deinit(&dump->text);
}
