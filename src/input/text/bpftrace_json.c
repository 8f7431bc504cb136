// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/bpftrace_json.h"

#include <inttypes.h>
#include <string.h>

#include "input/bpftool/json.h"
#include "input/text/bpftrace_key.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

enum { NAME_SHOWN = 60 /* bytes of a map's name */ };

struct bpftrace_json {
	struct bpftrace_reading reading;
	struct bpftrace_key key;
	struct json json;
	struct text type, map;
	struct error *error; /* the collector's; nothing more is read */
	bool refused;	     /* a key of this map was */
};

static void bpftrace_json_deinit(struct bpftrace_json *reader)
{
	bpftrace_reading_deinit(&reader->reading);
	bpftrace_key_deinit(&reader->key);
	json_deinit(&reader->json);
	text_deinit(&reader->type);
	text_deinit(&reader->map);
	error_destroy(reader->error);
}

bool bpftrace_json_starts(struct source *source, size_t at)
{
	static const char start[] = "{\"type\": \"";
	const size_t len = sizeof(start) - 1;

	return source_has_bytes(source, at + len) && !memcmp(source->at + at, start, len);
}

/* ---- keys ---- */

/* From the newline at which a stack begins to the comma after it, or the end. */
static bool add_stack(struct bpftrace_key *key, struct scan *s, bool joined)
{
	struct scan line;

	s->at++;
	bpftrace_key_stack(key);
	while (scan_left(s) && *s->at != ',') {
		(void)scan_to(s, '\n', &line);
		if (!bpftrace_key_frame(key, line, joined))
			return false;
	}
	return true;
}

/* Undoes the escapes of the keys of bpftrace 0.23, which JSON escapes again: "\\n" is a newline. */
static void unescape(struct text *key)
{
	size_t len = 0;

	if (!key->len || strchr(key->data, '\n') || !strstr(key->data, "\\n"))
		return;
	for (size_t i = 0; i <= key->len; i++) { /* the NUL, too */
		bool escaped = key->data[i] == '\\';
		char c = key->data[i += escaped];

		key->data[len++] = escaped && c == 'n' ? '\n' : escaped && c == 't' ? '\t' : c;
	}
	key->len = len - 1;
}

/* Returns false if a line in it is no frame. */
static bool parse_key(struct bpftrace_key *key, struct scan s)
{
	bool joined = !scan_first(s, ' '), more = true;
	struct scan part;

	bpftrace_key_clear(key);
	while (more) {
		if (scan_starts(s, "\n")) {
			if (!add_stack(key, &s, joined))
				return false;
			more = scan_char(&s, ',');
			continue;
		}
		more = scan_to(&s, ',', &part);
		bpftrace_key_text(key, part);
	}
	return true;
}

static void refuse(struct bpftrace_json *reader, const char *position, const char *what)
{
	struct dump *dump = reader->reading.dump;

	if (reader->refused)
		return;
	reader->refused = true;
	collector_no_counts(dump->collector, position, INPUT_ANY);
	dump_warn(dump, "%s: %s[…]: %s", position, reader->map.data ? reader->map.data : "", what);
}

/* The name of a member was read: a key, whose value follows. */
static bool read_entry(struct bpftrace_json *reader)
{
	struct json *json = &reader->json;
	auto_free char *position = json_position(json, json->start);

	unescape(&json->text);
	bool whole = parse_key(&reader->key, text_scan(&json->text));
	enum json_token token = json_next(json);
	uint64_t weight;

	if (!bpftrace_key_has_stack(&reader->key))
		return json_skip(json, token);
	bool counts = (token == JSON_NUMBER || token == JSON_STRING) &&
		      json_integer(json, &weight) && weight <= INT64_MAX;
	if (!counts || !whole) {
		refuse(reader, position,
			whole ? BPFTRACE_NO_COUNT : "a line of its key is no frame");
		return json_skip(json, token);
	}
	reader->error = bpftrace_entry(&reader->reading, &reader->key, weight, position);
	return !reader->error;
}

/* {"@a": {KEY: VALUE, …}} */
static bool read_maps(struct bpftrace_json *reader, enum json_token token)
{
	struct json *json = &reader->json;

	if (token != JSON_OBJECT)
		return json_skip(json, token);
	while ((token = json_next(json)) == JSON_NAME) {
		text_clear(&reader->map);
		text_add_escaped(&reader->map, json->text.data,
			json->text.len < NAME_SHOWN ? json->text.len : NAME_SHOWN);
		reader->reading.map = &reader->map;
		reader->reading.parts = 0;
		reader->refused = false;
		token = json_next(json);
		if (token != JSON_OBJECT) {
			if (!json_skip(json, token))
				return false;
			continue;
		}
		while ((token = json_next(json)) == JSON_NAME)
			if (!read_entry(reader))
				return false;
		if (token != JSON_OBJECT_END)
			return false;
	}
	return token == JSON_OBJECT_END;
}

/* ---- printf() and the rest ---- */

static bool read_printed(struct bpftrace_json *reader, enum json_token token)
{
	struct json *json = &reader->json;
	bool in_stack = false;
	struct scan line;

	if (token != JSON_STRING || !json->text.len)
		return json_skip(json, token);
	auto_free char *position = json_position(json, json->start);
	struct scan s = text_scan(&json->text);
	bpftrace_key_clear(&reader->key);
	while (scan_left(&s)) {
		(void)scan_to(&s, '\n', &line);
		bool frame = blocks_start(reader->key.blocks, TOOL_BPFTRACE_PRINTED, line);

		if (frame && !in_stack)
			bpftrace_key_stack(&reader->key);
		if (frame)
			(void)bpftrace_key_frame(&reader->key, line, false);
		in_stack = frame;
	}
	reader->error = bpftrace_printed(&reader->reading, &reader->key, position);
	return !reader->error;
}

/* {"events": 5} */
static bool read_lost(struct bpftrace_json *reader, enum json_token token)
{
	struct json *json = &reader->json;
	uint64_t lost;

	if (token != JSON_OBJECT)
		return json_skip(json, token);
	while ((token = json_next(json)) == JSON_NAME) {
		bool events = !strcmp(json->text.data, "events");

		token = json_next(json);
		if (events && token == JSON_NUMBER && json_integer(json, &lost))
			collector_lost_events(reader->reading.dump->collector, lost);
		else if (!json_skip(json, token))
			return false;
	}
	return token == JSON_OBJECT_END;
}

static bool is_type(const struct bpftrace_json *reader, const char *type)
{
	return reader->type.data && !strcmp(reader->type.data, type);
}

static bool read_data(struct bpftrace_json *reader, enum json_token token)
{
	static const char *const maps[] = {"map", "hist", "lhist", "stats", "tseries"};

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		if (is_type(reader, maps[i]))
			return read_maps(reader, token);
	if (is_type(reader, "printf"))
		return read_printed(reader, token);
	if (is_type(reader, "lost_events"))
		return read_lost(reader, token);
	return json_skip(&reader->json, token);
}

static bool read_object(struct bpftrace_json *reader)
{
	struct json *json = &reader->json;
	enum json_token token = json_next(json);

	if (token != JSON_OBJECT)
		return false;
	text_clear(&reader->type);
	while ((token = json_next(json)) == JSON_NAME) {
		const char *name = json->text.data ? json->text.data : "";
		bool type = !strcmp(name, "type"), data = !strcmp(name, "data");

		token = json_next(json);
		if (type && token == JSON_STRING && json->text.len)
			text_add(&reader->type, json->text.data, json->text.len);
		if (!(data ? read_data(reader, token) : json_skip(json, token)))
			return false;
	}
	return token == JSON_OBJECT_END;
}

struct error *bpftrace_json_read(
	struct dump *dump, const struct input_options *options, struct tool_blocks *blocks)
{
	scope_guard(bpftrace_json_deinit) struct bpftrace_json reader = {.key.blocks = blocks};

	try(dump_goes_live(dump));
	try(bpftrace_reading_init(&reader.reading, dump, options));
	do {
		json_deinit(&reader.json);
		json_init(&reader.json, dump->source, false);
		reader.json.item = source_offset(dump->source);
		if (read_object(&reader))
			continue;
		if (reader.error)
			return take(reader.error);
		if (!reader.json.problem || dump->source->failure || dump->source->failed)
			break;
		dump_warn(dump,
			reader.json.cut ? "%s: the last object is truncated"
					: "%s; what follows is skipped",
			reader.json.problem);
		dump->desynced = !reader.json.cut;
		break;
	} while (source_has_bytes(dump->source, 2) && *dump->source->at == '\n' &&
		 bpftrace_json_starts(dump->source, 1) && dump->source->at++);
	return bpftrace_reading_end(&reader.reading);
}
