// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/bpftool/entry_json.h"

#include <string.h>

#include "input/roles/layout.h"
#include "input/roles/unnamed.h"
#include "util/cleanup.h"
#include "util/vec.h"

enum {
	PATH_MAX_BYTES = 4096, /* longer names are left out */
	WORDS_MAX = ENTRY_MAX / 8,
	BUILD_ID_LEN = 20,	   /* BPF_BUILD_ID_SIZE */
	PROGRAMS_START = 0x400000, /* default address of non-PIE programs on x86-64 */
	ERRNO_MAX = 4095,
};

struct number_words {
	struct VEC(uint64_t) all;
	bool other; /* an element is not a number */
};

static void words_cleanup(struct number_words *words)
{
	vec_deinit(&words->all);
}

struct flattener {
	struct json *json;
	struct entry *entry;
	int owner;
	bool unnamed;	/* the value has no name of its own */
	size_t members; /* members of the open struct so far */
	struct text path;
};

static bool flatten(struct flattener *flattener, enum json_token token);

/*
 * Reads the members of an object. One without a name is called by its index, but the members of an
 * anonymous struct become members of the enclosing one.
 */
static bool flatten_object(struct flattener *f)
{
	const struct text *name = &f->json->text;
	size_t outer = f->path.len;

	for (;;) {
		enum json_token token = json_next(f->json);

		if (token != JSON_NAME)
			return token == JSON_OBJECT_END;
		bool named = name->len, too_long = outer + name->len + 1 > PATH_MAX_BYTES, ok;
		/* a NUL would end the path too early */
		if (named && !too_long && !memchr(name->data, '\0', name->len)) {
			text_add_string(&f->path, outer ? "." : "");
			text_add(&f->path, name->data, name->len);
		}
		token = json_next(f->json);
		if (too_long) {
			f->entry->too_large = true;
			ok = json_skip(f->json, token);
		} else if (!named && token == JSON_OBJECT) {
			ok = flatten_object(f);
		} else {
			size_t number = f->members;

			if (!named)
				text_printf(&f->path, ".%zu", number);
			f->unnamed = !named;
			f->members = 0;
			ok = flatten(f, token);
			f->members = number + 1;
		}
		if (!ok)
			return false;
		f->path.len = outer;
		f->path.data[outer] = '\0';
	}
}

static const struct field *last_field(const struct entry *entry, size_t from, const char *name)
{
	for (size_t i = entry->fields.len; i-- > from;)
		if (text_ends_with(entry->fields.data[i].field.name, name))
			return &entry->fields.data[i].field;
	return NULL;
}

/*
 * If the fields from FROM on are those of a struct bpf_stack_build_id, appends that to RECORDS and
 * drops the fields. STRINGS_LEN is entry->strings_len before these fields.
 */
static void pack_build_id(
	struct entry *entry, size_t from, size_t strings_len, struct text *records)
{
	const struct field *status = last_field(entry, from, ".status");
	const struct field *id = last_field(entry, from, ".build_id");
	const struct field *offset = last_field(entry, from, ".offset");
	char row[LAYOUT_RECORD_WIDTH];

	if (!offset)
		offset = last_field(entry, from, ".ip");
	if (!status || !offset || !id || id->kind != FIELD_BYTES || id->len != BUILD_ID_LEN)
		return;
	if (records->len >= ENTRY_MAX) {
		entry->too_large = true;
		return;
	}
	int32_t number = (int32_t)status->number;
	memcpy(row, &number, 4);
	memcpy(row + 4, id->bytes, BUILD_ID_LEN);
	memcpy(row + 24, &offset->number, 8);
	text_add(records, row, sizeof(row));
	if (entry->fields.data[from].owner == ENTRY_KEY)
		entry->key_fields -= entry->fields.len - from;
	entry->strings_len = strings_len;
	entry->fields.len = from;
}

/* Returns true for IDs, counts and errnos: below all programs, or -4095 to -1 (32 or 64 bits). */
static bool is_small(uint64_t word)
{
	return word < PROGRAMS_START || word >= (uint64_t)-ERRNO_MAX ||
	       (word <= UINT32_MAX && word >= (uint32_t)-ERRNO_MAX);
}

static uint64_t sum_of(const struct number_words *words)
{
	uint64_t sum = 0;

	vec_each_value(word, &words->all)
		sum = wanted_add(sum, word);
	return sum;
}

/*
 * Adds an array of numbers. Its kind is a guess, because bpftool does not print the element type: a
 * stack has a word that can be an address, while 4-byte numbers such as stack IDs have none. An
 * array that is the whole value also gets its sum (input/roles/values.h).
 */
static void add_array(struct flattener *f, const struct number_words *words)
{
	const uint64_t *all = words->all.data;
	size_t n = words->all.len;
	bool whole = n && f->owner != ENTRY_KEY && !strcmp(f->path.data, "value");
	auto_text struct text bytes = {};
	uint64_t any = 0;
	bool fits = true, small = true;

	for (size_t i = 0; i < n; i++) {
		fits &= all[i] < 0x100 || all[i] >= (uint64_t)-0x80; /* a byte, perhaps signed */
		any |= all[i];
		small &= is_small(all[i]);
		text_add_char(&bytes, (char)all[i]);
	}
	struct field field = {.name = f->path.data,
		.is_sum = whole,
		.number = whole ? sum_of(words) : 0,
		.bytes = bytes.data,
		.len = n};
	if (fits && text_ends_with(f->path.data, ".build_id")) {
		field.kind = FIELD_BYTES;
	} else if (fits && f->unnamed && n >= UNNAMED_SIZE_MIN) {
		field.kind = FIELD_UNNAMED;
	} else if (!fits || !any) {
		field.kind = small && any ? FIELD_NUMBERS : FIELD_WORDS;
		field.bytes = (const char *)all;
		field.len = n * sizeof(*all);
	} else if (layout_is_text((const uint8_t *)bytes.data, n)) {
		field.kind = FIELD_TEXT;
		field.len = strnlen(bytes.data, n);
	} else {
		field.kind = FIELD_BYTES;
	}
	entry_add_field(f->entry, f->owner, &field, whole ? n : 0);
}

/* Reads the elements of an array. Nested arrays are concatenated. */
static bool read_elements(struct flattener *f, struct number_words *words, struct text *records)
{
	struct json *json = f->json;
	unsigned outer = json->depth - 1;

	while (json->depth > outer) {
		enum json_token token = json_next(json);
		size_t from = f->entry->fields.len, strings_len = f->entry->strings_len;
		uint64_t word = token == JSON_TRUE;

		if (token == JSON_ERROR || token == JSON_BREAK)
			return false;
		if (token == JSON_ARRAY || token == JSON_ARRAY_END)
			continue;
		if (token == JSON_OBJECT) {
			words->other = true;
			f->members = 0;
			if (!flatten_object(f))
				return false;
			if (from < f->entry->fields.len)
				pack_build_id(f->entry, from, strings_len, records);
		} else if (words->all.len == WORDS_MAX) {
			f->entry->too_large = true;
		} else if (token == JSON_TRUE || token == JSON_FALSE ||
			   (token != JSON_NULL && json_integer(json, &word))) {
			vec_push(&words->all, word);
		} else {
			words->other = true;
		}
	}
	return true;
}

static bool flatten_array(struct flattener *f)
{
	scope_guard(words_cleanup) struct number_words words = {};
	auto_text struct text records = {};
	const struct wanted *wanted = f->entry->wanted;

	if (!read_elements(f, &words, &records))
		return false;
	if (records.len)
		entry_add_field(f->entry, f->owner,
			&(struct field){.name = f->path.data,
				.kind = FIELD_BYTES,
				.width = LAYOUT_RECORD_WIDTH,
				.bytes = records.data,
				.len = records.len},
			0);
	if (words.other)
		return true;
	if (wanted_sum(wanted, f->path.data))
		entry_add_field(f->entry, f->owner,
			&(struct field){.name = f->path.data,
				.kind = FIELD_NUMBER,
				.number = sum_of(&words)},
			0);
	else
		add_array(f, &words);
	for (size_t i = 0; wanted && words.all.data && i < wanted->all.len; i++) {
		const struct wanted_field *field = &wanted->all.data[i];

		auto_free char *name = wanted_element(field, f->path.data, words.all.len);
		if (!name)
			continue;
		entry_add_field(f->entry, f->owner,
			&(struct field){.name = name,
				.kind = FIELD_NUMBER,
				.number = words.all.data[field->index]},
			0);
	}
	return true;
}

/* Recursion is bounded, because json_next() fails beyond JSON_DEPTH_MAX levels. */
static bool flatten(struct flattener *f, enum json_token token)
{
	const struct text *text = &f->json->text;
	struct field field = {.name = f->path.data, .kind = FIELD_NUMBER};

	if (token == JSON_OBJECT)
		return flatten_object(f);
	if (token == JSON_ARRAY)
		return flatten_array(f);
	if (token == JSON_ERROR || token == JSON_BREAK || token == JSON_NULL)
		return token == JSON_NULL;
	if (token == JSON_TRUE || token == JSON_FALSE) {
		field.number = token == JSON_TRUE;
	} else {
		bool may_be_number = token != JSON_STRING || scan_starts(text_scan(text), "0x");
		bool number = may_be_number && json_integer(f->json, &field.number);

		if (!number)
			field.kind = FIELD_TEXT;
		if (!number || token == JSON_STRING) {
			field.bytes = text->data;
			field.len = text->len;
		}
	}
	entry_add_field(f->entry, f->owner, &field, 0);
	return true;
}

bool formatted_value(
	struct json *json, enum json_token token, struct entry *entry, int owner, const char *root)
{
	struct flattener flattener = {
		.json = json, .entry = entry, .owner = owner, .unnamed = true};

	text_add_string(&flattener.path, root);
	bool ok = flatten(&flattener, token);
	text_deinit(&flattener.path);
	return ok;
}

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
		*is_raw = json_bytes(json, false, ENTRY_MAX, raw);
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
		vec_drop(&entry->key, had);
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

static bool read_value(struct json *json, struct entry *entry, enum json_token token)
{
	size_t at = entry->raw.len, from = entry->fields.len;
	int index = entry_add_value(entry);
	bool raw;

	if (!read_either(json, entry, token, &entry->raw, index, &raw))
		return false;
	if (raw) {
		entry_set_raw(entry, at);
	} else if (entry->fields.len == from + 1) {
		const struct field *field = &entry->fields.data[from].field;

		/* bpftool prints {"error":"…"} instead of a value that it could not look up */
		if (field->kind == FIELD_TEXT && !strcmp(field->name, "value.error")) {
			set_error(entry, field->bytes, field->len);
			entry->fields.len = from;
		}
	}
	return true;
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
	enum json_token token;

	while ((token = json_next(json)) == JSON_NAME) {
		bool is_cpu = !strcmp(json->text.data, "cpu");
		bool is_value = !has_value && !strcmp(json->text.data, "value");

		token = json_next(json);
		has_value |= is_value;
		if (!(is_cpu	       ? entry_json_number(json, token, &cpu)
			    : is_value ? read_value(json, entry, token)
				       : json_skip(json, token)))
			return false;
	}
	if (has_value)
		entry_set_cpu(entry, cpu > INT32_MAX ? -1 : (int)cpu);
	return token == JSON_OBJECT_END;
}

enum entry_member entry_json_find(const struct json *json)
{
	static const char *const names[] = {
		"key", "value", "values", "inner_map_id", "formatted", "error"};

	return (enum entry_member)json_name_in(json, names, array_len(names));
}

bool entry_json_read(
	struct json *json, struct entry *entry, enum entry_member member, enum json_token token)
{
	switch (member) {
	case ENTRY_MEMBER_KEY:
		return read_key(json, entry, token);
	case ENTRY_MEMBER_VALUE:
		if (!read_value(json, entry, token))
			return false;
		entry_set_cpu(entry, -1);
		return true;
	case ENTRY_MEMBER_VALUES:
		if (token != JSON_ARRAY)
			break;
		while ((token = json_next(json)) != JSON_ARRAY_END)
			if (token == JSON_BREAK ||
				(token == JSON_OBJECT ? !read_cpu_value(json, entry)
						      : !json_skip(json, token)))
				return false;
		return true;
	case ENTRY_MEMBER_INNER_MAP:
		entry->is_map = token == JSON_NUMBER;
		return entry_json_number(json, token, &entry->inner_map);
	case ENTRY_MEMBER_FORMATTED: /* {"key":…,"value":…} or {"key":…,"values":[…]} */
		if (token != JSON_OBJECT)
			break;
		while ((token = json_next(json)) == JSON_NAME) {
			enum entry_member part = entry_json_find(json);

			part = part < ENTRY_MEMBER_FORMATTED ? part : ENTRY_MEMBERS;
			if (!entry_json_read(json, entry, part, json_next(json)))
				return false;
		}
		return token == JSON_OBJECT_END;
	case ENTRY_MEMBER_ERROR:
		if (token == JSON_STRING)
			set_error(entry, json->text.data, json->text.len);
		break;
	case ENTRY_MEMBERS:
		break;
	}
	return json_skip(json, token);
}
