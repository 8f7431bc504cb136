// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_columns.h"

#include <string.h>

#include "util/text.h"

#define WORD sizeof(uint32_t)
#define TEXT_LENGTH 4	/* bytes that some text must have; fewer can be a small number */
#define TEXT_SHOWN 4096 /* bytes of a text that are looked at */

void raw_columns_deinit(struct raw_columns *columns)
{
	vec_deinit(&columns->all);
}

bool raw_columns_bytes(
	const struct raw_columns *columns, size_t i, const uint8_t **ret, size_t *len_ret)
{
	const struct count_entry *first = &columns->map->entries.data[0];
	const struct count_entry *entry = &columns->map->entries.data[i];

	if (entry->key_len != first->key_len || entry->value_len != first->value_len)
		return false;
	*ret = columns->of_value ? count_map_value(columns->map, i)
				 : count_map_key(columns->map, i);
	*len_ret = columns->of_value ? entry->value_len : entry->key_len;
	return true;
}

uint32_t raw_word(const uint8_t *bytes, size_t column)
{
	uint32_t word;

	memcpy(&word, bytes + column * WORD, WORD);
	return word;
}

/* ---- texts ---------------------------------------------------------------------------------- */

size_t raw_text_length(const uint8_t *bytes, size_t len)
{
	const char *text = (const char *)bytes;
	size_t length = strnlen(text, len);

	for (size_t i = 0; i < length;) {
		size_t n = text_utf8_length(text + i, length - i);

		/* A name cut in the middle of a character is still a name. */
		if (bytes[i] < 0x20 || bytes[i] == 0x7f || (!n && length - i > 3))
			return SIZE_MAX;
		i += n ? n : 1;
	}
	for (size_t i = length; i < len; i++)
		if (bytes[i])
			return SIZE_MAX;
	return length;
}

/* The longest text that all entries have in LEN bytes from column FIRST on; SIZE_MAX: not text. */
static size_t longest_text(const struct raw_columns *columns, size_t first, size_t len)
{
	size_t longest = 0, size;
	const uint8_t *bytes;

	for (size_t i = 0; i < columns->map->entries.len; i++) {
		if (!raw_columns_bytes(columns, i, &bytes, &size))
			continue;
		size_t length = raw_text_length(bytes + first * WORD, len);
		if (length == SIZE_MAX)
			return SIZE_MAX;
		longest = length > longest ? length : longest;
	}
	return longest;
}

/* The bytes of the text at column FIRST: that of a comm, or more if it is longer; 0: none. */
static size_t text_size(const struct raw_columns *columns, size_t first)
{
	size_t left = (columns->all.len - first) * WORD;

	for (size_t len = RAW_COMM_LEN; len <= left && len <= TEXT_SHOWN; len += RAW_COMM_LEN) {
		size_t longest = longest_text(columns, first, len);

		if (longest == SIZE_MAX)
			return 0;
		if (longest < len) /* else some text goes on after LEN */
			return longest >= TEXT_LENGTH ? len : 0;
	}
	return 0;
}

static void find_texts(struct raw_columns *columns)
{
	for (size_t i = 0; i < columns->all.len; i++) {
		size_t size = text_size(columns, i);

		columns->all.data[i].text = size;
		for (size_t at = WORD; at < size; at += WORD)
			columns->all.data[++i].in_text = true;
	}
}

/* ---- numbers -------------------------------------------------------------------------------- */

static void add_entry(struct raw_columns *columns, const uint8_t *bytes)
{
	for (size_t i = 0; i < columns->all.len; i++) {
		struct raw_column *column = &columns->all.data[i];
		uint32_t word = raw_word(bytes, i);

		id_column_add(&column->ids, columns->index, (int32_t)word);
		column->constant_zero &= !word;
		column->any_process &= word <= RAW_PID_LIMIT || word == UINT32_MAX;
	}
}

void raw_columns_read(
	const struct count_map *map, const struct stack_index *index, struct raw_columns *ret)
{
	const struct count_entry *first = &map->entries.data[0];
	const uint8_t *bytes;
	size_t len = 0;

	*ret = (struct raw_columns){
		.map = map, .index = index, .of_value = !first->key_len && first->value_len};
	raw_columns_bytes(ret, 0, &bytes, &len);
	if (len / WORD > RAW_COLUMNS_MAX)
		return;
	for (size_t i = 0; i < len / WORD; i++)
		vec_push(
			&ret->all, (struct raw_column){.constant_zero = true, .any_process = true});
	for (size_t i = 0; i < map->entries.len; i++)
		if (raw_columns_bytes(ret, i, &bytes, &len))
			add_entry(ret, bytes);
	find_texts(ret);
}
