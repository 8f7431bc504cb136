// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/live_dump.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/json_text.h"
#include "util/number.h"
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

/* Adds BYTES as bpftool prints them: ["0x0c","0x00"] */
static void add_bytes(struct text *text, const uint8_t *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char one[] = "\"0x00\",";

	text_add_char(text, '[');
	for (size_t i = 0; i < len; i++) {
		one[3] = digits[bytes[i] >> 4];
		one[4] = digits[bytes[i] & 15];
		text_add(text, one, i + 1 < len ? 7 : 6);
	}
	text_add_char(text, ']');
}

/* ---- formatted ---- */

static void add_number(struct text *text, const struct layout_field *field, const uint8_t *at)
{
	uint64_t number = layout_number(field, at);

	if (field->is_signed)
		text_printf(text, "%" PRId64, (int64_t)number);
	else
		text_add_decimal(text, number);
}

static void add_record(struct text *text, const uint8_t *record)
{
	text_printf(text, "{\"status\":%" PRId32 ",\"build_id\":[", (int32_t)load_u32(record));
	for (size_t i = 0; i < BUILD_ID_LEN; i++) {
		json_add_comma(text);
		text_add_decimal(text, record[STATUS_LEN + i]);
	}
	text_printf(
		text, "],\"offset\":%" PRIu64 "}", load_u64(record + STATUS_LEN + BUILD_ID_LEN));
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
static void add_field(struct text *text, const struct layout_field *field, const uint8_t *data)
{
	const uint8_t *bytes = data + field->offset;

	if (field->kind == FIELD_NUMBER && !field->is_sum) {
		add_number(text, field, bytes);
	} else if (field->is_chars && !field->unnamed && is_string(bytes, field->size)) {
		text_add_char(text, '"');
		text_add_json(text, (const char *)bytes, strnlen((const char *)bytes, field->size));
		text_add_char(text, '"');
	} else {
		text_add_char(text, '[');
		for (size_t i = 0; i < field->size; i += field->width) {
			json_add_comma(text);
			if (field->width == LAYOUT_RECORD_WIDTH)
				add_record(text, bytes + i);
			else
				add_number(text, field, bytes + i);
		}
		text_add_char(text, ']');
	}
}

static void add_formatted(struct text *text, const struct live_type *type, const uint8_t *data)
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
			text_add_char(text, ',');
		if (step->name != SIZE_MAX) {
			const char *name = type->names.data + step->name;

			text_add_char(text, '"');
			text_add_json(text, name, strlen(name));
			text_add_string(text, "\":");
		}
		if (step->mark == LIVE_FIELD)
			add_field(text, &type->layout.fields.data[next++], data);
		else
			text_add_string(text, marks[step->mark]);
		first = step->mark == LIVE_OBJECT || step->mark == LIVE_ARRAY;
	}
}

/* ---- entries ---- */

/*
 * Adds "value":… or, of a per-CPU map, "values":[{"cpu":0,"value":…},…]. Writes raw bytes if
 * TYPE is NULL.
 */
static void add_values(struct text *text, const struct live_map *map, const struct live_type *type,
	const uint8_t *value)
{
	bool per_cpu = map->per_cpu;

	text_add_string(text, per_cpu ? "\"values\":[" : "\"value\":");
	for (size_t i = 0; i < map->n_cpus; i++, value += map->stride) {
		if (per_cpu)
			text_printf(text, "%s{\"cpu\":%zu,\"value\":", i ? "," : "", i);
		if (type)
			add_formatted(text, type, value);
		else
			add_bytes(text, value, map->value_size);
		if (per_cpu)
			text_add_char(text, '}');
	}
	if (per_cpu)
		text_add_char(text, ']');
}

void live_dump_entry(void *context, const uint8_t *key, const uint8_t *value)
{
	struct live_dump *dump = context;
	const struct live_shape *shape = dump->shape;
	struct text *text = &dump->text;

	if (!dump->file)
		return;
	text_add_string(text, dump->entries ? ",\n{\"key\":" : "\n{\"key\":");
	dump->entries = true;
	add_bytes(text, key, shape->map->key_size);
	text_add_char(text, ',');
	add_values(text, shape->map, NULL, value);
	if (shape->typed) {
		text_add_string(text, ",\"formatted\":{\"key\":");
		add_formatted(text, &shape->key, key);
		text_add_char(text, ',');
		add_values(text, shape->map, &shape->value, value);
		text_add_char(text, '}');
	}
	text_add_char(text, '}');
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
	text_add_string(&dump->text, "]}");
}

struct error *live_dump_end(struct live_dump *dump)
{
	text_add_string(&dump->text, "]\n");
	if (dump->file)
		write_text(dump);
	text_deinit(&dump->text);
	return dump->errnum ? error_errno(dump->errnum, "cannot write the dump") : NULL;
}
