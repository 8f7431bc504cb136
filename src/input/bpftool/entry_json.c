// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/bpftool/entry_json.h"

#include <string.h>

#include "input/bpftool/formatted.h"
#include "util/vec.h"
#include "input/bpftool/json.h"

/*
 * Reads a key or value. Appends an array of "0x0c" strings to RAW and sets IS_RAW; adds anything
 * else as formatted fields of OWNER.
 */
static bool read_either(struct json *json, struct entry *entry, enum json_token token,
	struct text *raw, int owner, bool *is_raw)
{
	size_t had = raw->len;

	*is_raw = false;
	if (token == JSON_ARRAY) {
		*is_raw = json_bytes(json, false, ENTRY_MAX, raw) == JSON_RUN_ENDED;
		if (*is_raw)
			return true;
		if (raw->len >= ENTRY_MAX)
			entry->too_large = true;
		else if (raw->len > had)
			entry->odd = true;
		if (raw->len > had)
			return json_skip_rest(json);
	}
	return formatted_value(json, token, entry, owner, owner == ENTRY_KEY ? "key" : "value");
}

static bool read_key(struct json *json, struct entry *entry, enum json_token token)
{
	size_t had = entry->key.len;
	bool raw;

	if (!read_either(json, entry, token, &entry->key, ENTRY_KEY, &raw))
		return false;
	if (!raw)
		return true;
	if (entry->has_key) { /* keep the second one only */
		entry->repeated = true;
		entry->key.len -= had;
		if (had)
			memmove(entry->key.data, entry->key.data + had, entry->key.len);
	}
	entry->has_key = true;
	return true;
}

static void set_error(struct entry *entry, const char *text, size_t len)
{
	entry->has_error = true;
	text_clear(&entry->error);
	text_add(&entry->error, "", 0); /* allocate even an empty text */
	text_add_escaped(&entry->error, text, len);
}

/*
 * If the fields from FROM on are {"error":"…"}, makes that the entry's error: bpftool prints it
 * instead of a value that it could not look up.
 */
static void find_error(struct entry *entry, size_t from)
{
	if (entry->fields.len != from + 1)
		return;
	const struct field *field = &entry->fields.data[from].field;
	if (field->kind != FIELD_TEXT || strcmp(field->name, "value.error"))
		return;
	set_error(entry, field->bytes, field->len);
	entry->fields.len = from;
}

static bool read_value(struct json *json, struct entry *entry, enum json_token token)
{
	size_t at = entry->raw.len, from = entry->fields.len;
	int index = entry_add_value(entry);
	bool raw;

	if (!read_either(json, entry, token, &entry->raw, index, &raw))
		return false;
	if (raw)
		entry_set_raw(entry, at);
	else
		find_error(entry, from);
	return true;
}

static bool read_only_value(struct json *json, struct entry *entry, enum json_token token)
{
	bool ok = read_value(json, entry, token);

	entry_set_cpu(entry, -1);
	return ok;
}

bool entry_json_number(struct json *json, enum json_token token, uint64_t *ret)
{
	if (token == JSON_NUMBER || token == JSON_STRING || token == JSON_BARE)
		return json_integer(json, ret) || true;
	return json_skip(json, token);
}

/* Reads {"cpu":0,"value":…}, whose { was consumed. */
static bool read_cpu_value(struct json *json, struct entry *entry)
{
	uint64_t cpu = UINT64_MAX;
	bool has_value = false;

	for (;;) {
		enum json_token token = json_next(json);
		bool ok;

		if (token != JSON_NAME) {
			if (has_value)
				entry_set_cpu(entry, cpu > INT32_MAX ? -1 : (int)cpu);
			return token == JSON_OBJECT_END;
		}
		bool is_cpu = !strcmp(json->text.data, "cpu");
		bool is_value = !has_value && !strcmp(json->text.data, "value");
		token = json_next(json);
		if (is_cpu)
			ok = entry_json_number(json, token, &cpu);
		else if (is_value)
			ok = read_value(json, entry, token);
		else
			ok = json_skip(json, token);
		has_value |= is_value;
		if (!ok)
			return false;
	}
}

static bool read_values(struct json *json, struct entry *entry, enum json_token token)
{
	if (token != JSON_ARRAY)
		return json_skip(json, token);
	for (;;) {
		token = json_next(json);
		if (token == JSON_ARRAY_END)
			return true;
		if (token == JSON_ERROR || token == JSON_BREAK)
			return false;
		if (token == JSON_OBJECT ? !read_cpu_value(json, entry) : !json_skip(json, token))
			return false;
	}
}

static bool read_error(struct json *json, struct entry *entry, enum json_token token)
{
	if (token != JSON_STRING)
		return json_skip(json, token);
	set_error(entry, json->text.data, json->text.len);
	return true;
}

/* Reads {"key":…,"value":…} or {"key":…,"values":[…]} of "formatted". */
static bool read_formatted(struct json *json, struct entry *entry, enum json_token token)
{
	if (token != JSON_OBJECT)
		return json_skip(json, token);
	while ((token = json_next(json)) == JSON_NAME) {
		entry_json_member *part = entry_json_find(json->text.data);

		token = json_next(json);
		if (part == read_formatted || part == read_error)
			part = NULL;
		if (part ? !part(json, entry, token) : !json_skip(json, token))
			return false;
	}
	return token == JSON_OBJECT_END;
}

static bool read_inner_map(struct json *json, struct entry *entry, enum json_token token)
{
	entry->is_map = token == JSON_NUMBER;
	return entry_json_number(json, token, &entry->inner_map);
}

entry_json_member *entry_json_find(const char *name)
{
	static const struct {
		const char *name;
		entry_json_member *read;
	} members[] = {
		{"key", read_key},
		{"value", read_only_value},
		{"values", read_values},
		{"formatted", read_formatted},
		{"error", read_error},
		{"inner_map_id", read_inner_map},
	};

	array_each(member, members, array_len(members))
		if (!strcmp(name, member->name))
			return member->read;
	return NULL;
}
