// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "input/text/bpftrace.h"
#include "input/text/bpftrace_key.h"
#include "input/text/json_values.h"
#include "util/cleanup.h"
#include "util/text.h"

/* object levels in {"type": "map", "data": {"@a": {KEY: VALUE, …}}} */
enum { LEVEL_DATA = 1, LEVEL_MAP, LEVEL_KEY };

/* the type of an object: its number among these; -1: another */
static const char types[] = "map hist lhist stats tseries printf lost_events";
enum { TYPE_LAST_MAP = 4, TYPE_PRINTF, TYPE_LOST_EVENTS };

struct bpftrace_json {
	struct bpftrace bpftrace;
	struct json_values values;
	int type;
};

static void bpftrace_json_deinit(struct bpftrace_json *reader)
{
	bpftrace_deinit(&reader->bpftrace);
	json_values_deinit(&reader->values);
}

bool bpftrace_json_starts(struct source *source, size_t at)
{
	static const char start[] = "{\"type\": \"";
	const size_t len = sizeof(start) - 1;

	return source_has_bytes(source, at + len) && !memcmp(source->at + at, start, len);
}

/*
 * Undoes, in place, the escapes in keys of bpftrace 0.23, which JSON escapes again: "\\n" is a
 * newline.
 */
static struct scan unescape(struct scan key)
{
	char *to = (char *)key.at;

	if (scan_first(key, '\n') || !scan_find(key, "\\n"))
		return key;
	for (const char *at = key.at; at < key.end; at++) {
		bool escaped = *at == '\\';

		if (escaped && ++at == key.end)
			break;
		*to++ = escaped && *at == 'n' ? '\n' : escaped && *at == 't' ? '\t' : *at;
	}
	return (struct scan){key.at, to};
}

static bool read_entry(struct bpftrace_json *reader, enum json_token token)
{
	struct bpftrace *bpftrace = &reader->bpftrace;
	struct json_values *values = &reader->values;
	auto_free char *position = json_position(&values->json, values->member);
	uint64_t weight;

	bpftrace_map(bpftrace, json_values_name(values, LEVEL_MAP));
	bool whole = bpftrace_key(bpftrace, unescape(json_values_name(values, LEVEL_KEY)), true);
	bool counts = (token == JSON_NUMBER || token == JSON_STRING) &&
		      json_integer(&values->json, &weight) && weight <= INT64_MAX;
	values->error = bpftrace_entry(bpftrace, whole, counts ? &weight : NULL, position);
	return !values->error;
}

static bool read_printed(struct bpftrace_json *reader)
{
	struct json *json = &reader->values.json;
	auto_free char *position = json_position(json, json->start);
	struct scan s = text_scan(&json->text), line;

	while (scan_left(&s)) {
		(void)scan_to(&s, '\n', &line);
		if (!bpftrace_printed_line(&reader->bpftrace, line))
			reader->bpftrace.in_stack = false;
	}
	reader->values.error = bpftrace_printed_end(&reader->bpftrace, position);
	return !reader->values.error;
}

static bool take_value(struct json_values *values, enum json_token token)
{
	struct bpftrace_json *reader = values->context;
	struct json *json = &values->json;
	struct scan name = json_values_name(values, values->level);
	uint64_t lost;

	if (token == JSON_OBJECT_END)
		return true;
	if (values->level == LEVEL_KEY && reader->type >= 0 && reader->type <= TYPE_LAST_MAP)
		return read_entry(reader, token);
	if (values->level == LEVEL_DATA && token == JSON_STRING && scan_equals(name, "type"))
		reader->type = scan_word_number(types, text_scan(&json->text));
	if (values->level == LEVEL_DATA && token == JSON_STRING && scan_equals(name, "data") &&
		reader->type == TYPE_PRINTF)
		return read_printed(reader);
	if (values->level == LEVEL_MAP && token == JSON_NUMBER && scan_equals(name, "events") &&
		reader->type == TYPE_LOST_EVENTS && json_integer(json, &lost))
		collector_lost_events(reader->bpftrace.dump->collector, lost);
	return true;
}

struct error *bpftrace_json_read(
	struct dump *dump, const struct input_options *options, struct tool_blocks *blocks)
{
	scope_guard(bpftrace_json_deinit) struct bpftrace_json reader = {.type = -1,
		.values = {.level_max = LEVEL_KEY, .context = &reader, .take = take_value}};
	struct source *source = dump->source;

	try(dump_goes_live(dump));
	try(bpftrace_init(&reader.bpftrace, dump, options, blocks));
	while (json_values_read(&reader.values, dump) && source_has_bytes(source, 2) &&
		*source->at == '\n' && bpftrace_json_starts(source, 1))
		source->at++;
	try(take(reader.values.error));
	return bpftrace_end(&reader.bpftrace);
}
