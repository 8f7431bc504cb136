// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/bpftrace.h"

#include <ctype.h>

#include "input/bpftool/bpftool.h"
#include "input/bpftool/json.h"
#include "input/lists/samples.h"
#include "input/text/bpftrace_key.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/vec.h"

enum { KEY_MAX = 16 << 20 /* bytes */ };

/* ---- maps ---- */

/* Returns the last `]: ` or final `]:` in LINE, where the key ends. NULL if the key continues. */
static const char *find_end(struct scan line)
{
	for (const char *at = line.end; at > line.at; at--)
		if (at[-1] == ']' && at < line.end && *at == ':' &&
			(at + 1 == line.end || at[1] == ' '))
			return at - 1;
	return NULL;
}

/*
 * Reads a key, whose first line is S after the bracket, and the value after it. KEY has its lines,
 * separated by newlines. Returns false if something else interrupts the key, or if it is too long.
 */
static bool read_key(struct source *source, struct scan s, struct text *key, struct scan *value_ret)
{
	const char *end = find_end(s);
	struct source_line line;

	while (!end) {
		text_add_scan(key, s);
		text_add_char(key, '\n');
		if (!source_line(source, &line) || line.skipped)
			return false;
		if (!line.len || *line.at == '@' || key->len > KEY_MAX) {
			source_line_back(source, &line);
			return false;
		}
		s = source_line_text(&line);
		end = *s.at == ',' || *s.at == ']' ? find_end(s) : NULL;
	}
	text_add_scan(key, (struct scan){s.at, end});
	*value_ret = scan_trimmed((struct scan){end + 2, s.end});
	return true;
}

/* Reads the entry of a map that begins with LINE, line NUMBER of the source. */
static struct error *read_entry(struct bpftrace *bpftrace, struct scan line, uint64_t number)
{
	struct source *source = bpftrace->dump->source;
	struct scan name = line, value = {};
	uint64_t weight;

	if (!scan_char(&line, '@'))
		return NULL;
	while (scan_left(&line) && (isalnum((unsigned char)*line.at) || *line.at == '_'))
		line.at++;
	name.end = line.at;
	/* a map without a key is a single value */
	if (!scan_char(&line, '['))
		return NULL;
	auto_free char *position = source_position(source, number);
	bpftrace_map(bpftrace, name);
	text_clear(&bpftrace->key);
	bool whole = read_key(source, line, &bpftrace->key, &value);
	whole = bpftrace_key(bpftrace, text_scan(&bpftrace->key), false) && whole;
	bool counts = scan_all_decimal(value, &weight) && weight <= INT64_MAX;
	return bpftrace_entry(bpftrace, whole, counts ? &weight : NULL, position);
}

/* ---- lines ---- */

static struct error *end_printed(struct bpftrace *bpftrace)
{
	if (!bpftrace->n)
		return NULL;
	auto_free char *position = source_position(bpftrace->dump->source, bpftrace->printed_line);

	return bpftrace_printed_end(bpftrace, position);
}

struct error *bpftrace_text_read(
	struct dump *dump, const struct input_options *options, struct tool_blocks *blocks)
{
	scope_guard(bpftrace_deinit) struct bpftrace bpftrace = {};
	struct source_line line;

	try(bpftrace_init(&bpftrace, dump, options, blocks));
	while (source_line(dump->source, &line)) {
		struct scan text = source_line_text(&line);

		if (!bpftrace.n)
			bpftrace.printed_line = line.number;
		if (bpftrace_printed_line(&bpftrace, text))
			continue;
		/* after one empty line a second stack of printf() may follow */
		if (!line.len && bpftrace.n == 1 && bpftrace.in_stack) {
			bpftrace.in_stack = false;
			continue;
		}
		try(end_printed(&bpftrace));
		if (!line.len)
			continue;
		/* a program may print dumps too */
		if (bpftool_text_starts(text) || event_pipe_starts(text) || portable_starts(text) ||
			blocks_start(blocks, TOOL_PERF, text)) {
			source_line_back(dump->source, &line);
			break;
		}
		try(read_entry(&bpftrace, text, line.number));
	}
	try(end_printed(&bpftrace));
	return bpftrace_end(&bpftrace);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* the type of an object: its number among these; -1: another */
static const char types[] = "map hist lhist stats tseries printf lost_events";
enum { TYPE_LAST_MAP = 4, TYPE_PRINTF, TYPE_LOST_EVENTS };

struct bpftrace_json {
	struct bpftrace bpftrace;
	struct json json;
	int type; /* of the last object */
	struct error *error;
};

static void bpftrace_json_deinit(struct bpftrace_json *reader)
{
	bpftrace_deinit(&reader->bpftrace);
	json_deinit(&reader->json);
	error_destroy(reader->error);
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

/* The following functions return false if the JSON is malformed, or if ERROR is set. */
/* Reads the entries of a map, whose name was the last token before its object. */
static bool read_map(struct bpftrace_json *reader)
{
	struct bpftrace *bpftrace = &reader->bpftrace;
	struct json *json = &reader->json;
	enum json_token token;
	uint64_t weight;

	bpftrace_map(bpftrace, text_scan(&json->text));
	while ((token = json_next(json)) == JSON_NAME) {
		auto_free char *position = json_position(json, json->start);
		bool whole = bpftrace_key(bpftrace, unescape(text_scan(&json->text)), true);

		token = json_next(json);
		if (token == JSON_ERROR)
			return false;
		bool counts = (token == JSON_NUMBER || token == JSON_STRING) &&
			      json_integer(json, &weight) && weight <= INT64_MAX;
		reader->error = bpftrace_entry(bpftrace, whole, counts ? &weight : NULL, position);
		if (reader->error || !json_skip(json, token))
			return false;
	}
	return token == JSON_OBJECT_END;
}

static bool read_printed(struct bpftrace_json *reader)
{
	struct json *json = &reader->json;
	auto_free char *position = json_position(json, json->start);
	struct scan s = text_scan(&json->text), line;

	while (scan_left(&s)) {
		(void)scan_to(&s, '\n', &line);
		if (!bpftrace_printed_line(&reader->bpftrace, line))
			reader->bpftrace.in_stack = false;
	}
	reader->error = bpftrace_printed_end(&reader->bpftrace, position);
	return !reader->error;
}

/* ---- objects: {"type": TYPE, "data": …} ---- */

static bool read_type(struct json_members *members, enum json_token token, void *to)
{
	struct bpftrace_json *reader = to;

	if (token == JSON_STRING)
		reader->type = scan_word_number(types, text_scan(&members->json->text));
	return json_skip(members->json, token);
}

/* Reads {"@a": {KEY: VALUE, …}, …} of maps, {"events": N} of lost events, or printed text. */
static bool read_data(struct json_members *members, enum json_token token, void *to)
{
	struct bpftrace_json *reader = to;
	struct json *json = members->json;
	bool is_map = reader->type >= 0 && reader->type <= TYPE_LAST_MAP, lost;
	uint64_t n;

	if (token == JSON_STRING && reader->type == TYPE_PRINTF)
		return read_printed(reader);
	if (token != JSON_OBJECT)
		return json_skip(json, token);
	while ((token = json_next(json)) == JSON_NAME) {
		lost = reader->type == TYPE_LOST_EVENTS &&
		       scan_equals(text_scan(&json->text), "events");
		token = json_next(json);
		if (token == JSON_NUMBER && lost && json_integer(json, &n))
			collector_lost_events(reader->bpftrace.dump->collector, n);
		if (token == JSON_OBJECT && is_map ? !read_map(reader) : !json_skip(json, token))
			return false;
	}
	return token == JSON_OBJECT_END;
}

static const struct json_member object_members[] = {
	{"type", JSON_MEMBER_OTHER, 0, read_type},
	{"data", JSON_MEMBER_OTHER, 0, read_data},
};

struct error *bpftrace_json_read(
	struct dump *dump, const struct input_options *options, struct tool_blocks *blocks)
{
	scope_guard(bpftrace_json_deinit) struct bpftrace_json reader = {.type = -1};
	scope_guard(arena_deinit) struct arena memory = {};
	struct json_members members = {.json = &reader.json, .arena = &memory};
	struct source *source = dump->source;
	bool more = true;

	try(bpftrace_init(&reader.bpftrace, dump, options, blocks));
	while (more) {
		json_deinit(&reader.json);
		json_init(&reader.json, source, false);
		if (json_next(&reader.json) != JSON_OBJECT ||
			!json_members_read(
				&members, object_members, array_len(object_members), &reader)) {
			if (!reader.error)
				dump_json_problem(
					dump, &reader.json, "object", "what follows is skipped");
			break;
		}
		more = source_has_bytes(source, 2) && *source->at == '\n' &&
		       bpftrace_json_starts(source, 1);
		source->at += more;
	}
	try(take(reader.error));
	return bpftrace_end(&reader.bpftrace);
}
