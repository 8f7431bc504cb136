// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>

#include "input/bpftool/json.h"
#include "input/text/gadget.h"
#include "input/text/gadget_event.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/vec.h"

enum {
	LOOK_MAX = 1 << 16, /* bytes of an event that are looked at */
	LEVELS_MAX = 16,    /* of objects in an event */
};

struct gadget_json {
	struct gadget_events events;
	struct json json;
	struct text path;	  /* of the member, dotted */
	size_t bases[LEVELS_MAX]; /* how much of it is that of the object, by its level */
	size_t level;		  /* of the object; 0: none */
	struct error *error;	  /* the collector's */
};

static void gadget_json_deinit(struct gadget_json *reader)
{
	gadget_events_deinit(&reader->events);
	json_deinit(&reader->json);
	text_deinit(&reader->path);
	error_destroy(reader->error);
}

/* ---- looking ---- */

/* What the first member of bpftool's objects is called, and of other tools' that are read. */
static bool is_other(struct scan name)
{
	static const char *const names[] = {
		"key", "value", "values", "formatted", "type", "id", "schema", "elements"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (scan_equals(name, names[i]))
			return true;
	return false;
}

/* The end of the string that begins at AT, 0: it is too far away. */
static size_t string_end(struct source *source, size_t at)
{
	for (; at < LOOK_MAX && source_has_bytes(source, at + 1); at++) {
		if (source->at[at] == '"')
			return at;
		if (source->at[at] == '\\')
			at++;
	}
	return 0;
}

/* Whether the string up to END is the name of a member that is a stack of ig's. */
static bool names_stack(struct source *source, size_t start, size_t end)
{
	if (!source_has_bytes(source, end + 2) || source->at[end + 1] != ':')
		return false;
	struct scan name = {source->at + start, source->at + end};
	return scan_equals(name, GADGET_ADDRESSES) || scan_equals(name, "kstack") ||
	       scan_equals(name, "kern_stack");
}

/* Whether the object whose { is AT bytes away has a member that is a stack of ig's, before it ends. */
static bool has_stack(struct source *source, size_t at)
{
	bool first = true;

	for (size_t depth = 0; at < LOOK_MAX && source_has_bytes(source, at + 1); at++) {
		char c = source->at[at];

		depth += c == '{' || c == '[';
		if ((c == '}' || c == ']') && --depth == 0)
			return false;
		if (c != '"')
			continue;
		size_t end = string_end(source, at + 1);
		if (!end ||
			(first && is_other((struct scan){source->at + at + 1, source->at + end})))
			return false;
		if (names_stack(source, at + 1, end))
			return true;
		first = false;
		at = end;
	}
	return false;
}

bool gadget_json_starts(struct source *source, size_t at)
{
	bool array = source_has_bytes(source, at + 1) && source->at[at] == '[';

	if (array)
		for (at++; at < LOOK_MAX && source_has_bytes(source, at + 1) &&
			   memchr(" \t\r\n", source->at[at], 4);)
			at++;
	return source_has_bytes(source, at + 1) && source->at[at] == '{' && has_stack(source, at);
}

bool gadget_text_starts(struct source *source, struct tool_blocks *blocks)
{
	size_t len = 0, lines = 0;

	if (!source_has(source) || !(isupper((unsigned char)*source->at) || *source->at == '-' ||
					   *source->at == '\033'))
		return false;
	/* No more than the lines that decide: who writes them may wait for an answer. */
	bool yaml = *source->at == '-';
	while (len < LOOK_MAX && lines < (yaml ? 2 : 1) && source_has_bytes(source, len + 1)) {
		unsigned char c = (unsigned char)source->at[len++];

		if (islower(c) && !yaml)
			return false;
		lines += c == '\n';
	}
	return blocks_start(blocks, TOOL_GADGET_TEXT, (struct scan){source->at, source->at + len});
}

/* ---- reading ---- */

static void add_field(struct gadget_json *reader, bool number)
{
	if (reader->path.len)
		gadget_field(&reader->events, text_scan(&reader->path),
			text_scan(&reader->json.text), number);
}

static void name_member(struct gadget_json *reader)
{
	size_t base = reader->bases[reader->level - 1];

	reader->path.len = base;
	if (base)
		text_add_char(&reader->path, '.');
	text_add(&reader->path, reader->json.text.data, reader->json.text.len);
}

static bool end_object(struct gadget_json *reader)
{
	struct json *json = &reader->json;

	reader->path.len = reader->bases[--reader->level];
	if (reader->level)
		return true;
	auto_free char *position = json_position(json, json->item);
	reader->error = gadget_event_end(&reader->events, position);
	return !reader->error;
}

static bool read_token(struct gadget_json *reader, enum json_token token)
{
	struct json *json = &reader->json;

	switch (token) {
	case JSON_OBJECT:
		if (!reader->level)
			json->item = json->start;
		if (reader->level >= LEVELS_MAX)
			return json_skip(json, token);
		reader->bases[reader->level++] = reader->path.len;
		return true;
	case JSON_OBJECT_END:
		return end_object(reader);
	case JSON_NAME:
		name_member(reader);
		return true;
	case JSON_ARRAY:
		return !reader->level || json_skip(json, token);
	case JSON_STRING:
	case JSON_NUMBER:
		if (reader->level)
			add_field(reader, token == JSON_NUMBER);
		return true;
	default:
		return true;
	}
}

/* One event, or an array of them. */
static bool read_document(struct gadget_json *reader)
{
	enum json_token token;

	text_clear(&reader->path);
	reader->level = 0;
	while ((token = json_next(&reader->json)) != JSON_END)
		if (token == JSON_ERROR || !read_token(reader, token))
			return false;
	return true;
}

/* Whether another document follows, perhaps an empty array: nothing was counted meanwhile. */
static bool has_more(struct source *source)
{
	size_t at = 0;

	while (source_has_bytes(source, at + 1) && memchr("\r\n", source->at[at], 2))
		at++;
	if (!at || !source_has_bytes(source, at + 2) ||
		(memcmp(source->at + at, "[]", 2) && !gadget_json_starts(source, at)))
		return false;
	source->at += at;
	return true;
}

/* Reads a document; false: it is the last that is read, for the reader's error or what is said. */
static bool read_next(struct gadget_json *reader)
{
	struct dump *dump = reader->events.dump;
	struct json *json = &reader->json;

	json_deinit(json);
	json_init(json, dump->source, false);
	json->item = source_offset(dump->source);
	if (read_document(reader))
		return true;
	gadget_event_drop(&reader->events);
	if (reader->error || !json->problem || dump->source->failure || dump->source->failed)
		return false;
	dump_warn(dump,
		json->cut ? "%s: the last event is truncated" : "%s; what follows is skipped",
		json->problem);
	dump->desynced = !json->cut;
	return false;
}

struct error *gadget_json_read(
	struct dump *dump, const struct input_options *options, struct tool_blocks *blocks)
{
	scope_guard(gadget_json_deinit) struct gadget_json reader = {};

	try(dump_goes_live(dump));
	collector_samples_count(dump->collector);
	try(gadget_events_init(&reader.events, dump, options, blocks));
	while (read_next(&reader) && has_more(dump->source))
		;
	gadget_events_report(&reader.events);
	return take(reader.error);
}
