// SPDX-License-Identifier: GPL-2.0-or-later

#include <inttypes.h>
#include <string.h>

#include "input/bpftool/entry.h"
#include "input/bpftool/entry_json.h"
#include "input/bpftool/json.h"
#include "input/bpftool/bpftool.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

struct plain_json_reader {
	struct dump *dump;
	struct json json;
	struct entry entry;
	struct text data;	 /* data of an event */
	struct inner_maps inner; /* IDs of inner maps, if the map has them */
	struct listing listing;
	bool map_open;	       /* the collector's map has begun but not ended */
	bool in_elements;      /* the objects are elements of "elements" */
	bool maps, events;     /* this document has maps, events */
	struct error *failure; /* error of the sink */
};

/* Members of an object that are not in struct entry. */
struct item {
	uint64_t start; /* file offset */
	bool has_id, has_data, has_lost, has_elements;
	bool odd; /* its data has elements that are not bytes */
	uint64_t id, timestamp, lost;
	struct listed listed; /* for objects of a list, such as maps, instead of entries */
};

static void reader_cleanup(struct plain_json_reader *reader)
{
	json_deinit(&reader->json);
	entry_deinit(&reader->entry);
	text_deinit(&reader->data);
	inner_maps_deinit(&reader->inner);
	listing_deinit(&reader->listing);
}

static void warn(struct plain_json_reader *reader, uint64_t offset, const char *what)
{
	dump_warn(
		reader->dump, "%s: byte %" PRIu64 ": %s", reader->dump->source->name, offset, what);
}

/* ---- maps ---- */

static void map_begin(struct plain_json_reader *reader, const char *name, bool queue)
{
	if (!reader->map_open)
		dump_map_begin(reader->dump, name, queue);
	reader->map_open = reader->maps = true;
}

static void map_end(struct plain_json_reader *reader, bool truncated)
{
	inner_maps_report(&reader->inner, reader->dump);
	if (reader->map_open && !reader->dump->in_queue)
		collector_map_end(reader->dump->collector, truncated);
	reader->map_open = false;
}

/* ---- members ---- */

static bool read_data(struct plain_json_reader *reader, struct item *item, enum json_token token)
{
	text_clear(&reader->data);
	if (token != JSON_ARRAY)
		return json_skip(&reader->json, token);
	item->has_data = true;
	if (json_bytes(&reader->json, true, ENTRY_MAX, &reader->data))
		return true;
	item->odd = true;
	return json_skip_rest(&reader->json);
}

/* Reads "lost":{"id":1,"count":7}. */
static bool read_lost(struct plain_json_reader *reader, struct item *item, enum json_token token)
{
	struct json *json = &reader->json;

	if (token != JSON_OBJECT)
		return json_skip(json, token);
	while ((token = json_next(json)) == JSON_NAME) {
		bool is_count = !strcmp(json->text.data, "count");
		uint64_t ignored;

		item->has_lost |= is_count;
		if (!entry_json_number(json, json_next(json), is_count ? &item->lost : &ignored))
			return false;
	}
	return token == JSON_OBJECT_END;
}

/* ---- objects ---- */

static void finish_event(struct plain_json_reader *reader, struct item *item, const char *position)
{
	struct dump *dump = reader->dump;
	const struct text *data = &reader->data;

	reader->events = true;
	dump->used++;
	if (item->has_lost)
		collector_lost_events(dump->collector, item->lost);
	if (!item->has_data)
		return;
	reader->failure = dump_goes_live(dump);
	if (item->odd)
		warn(reader, item->start,
			"event skipped: its data has elements that are not "
			"bytes");
	else if (!reader->failure)
		reader->failure = collector_event(dump->collector,
			(const uint8_t *)(data->len ? data->data : ""), data->len, item->timestamp,
			position);
}

static void finish_entry(struct plain_json_reader *reader, struct item *item, const char *position)
{
	struct entry *entry = &reader->entry;
	struct dump *dump = reader->dump;
	const char *file = dump->source->name;

	if (entry->is_map) {
		map_begin(reader, file, false);
		inner_maps_add(&reader->inner, entry->inner_map, position);
		return;
	}
	if (!entry->odd && !entry->too_large && !entry->has_error && !entry_is_whole(entry)) {
		warn(reader, item->start, "skipped: an object that is not a map entry");
		collector_no_counts(dump->collector, file, dump->role);
		return;
	}
	/* an entry without key is of a queue or stack */
	bool keyless = entry->has_key && !entry->key.len && !entry->key_fields;
	map_begin(reader, file, keyless);
	if (entry->repeated)
		warn(reader, item->start,
			"an entry has two keys or two values; the last one is used");
	entry_finish(entry, dump, position);
}

static void finish_item(struct plain_json_reader *reader, struct item *item)
{
	const struct entry *entry = &reader->entry;
	bool bare = !entry->has_key && !entry->fields.len;
	auto_text struct text text = {};

	if (item->has_elements)
		return;
	text_add_string(&text, reader->dump->source->name); /* ten times as fast as printf() */
	text_add_string(&text, ": byte ");
	text_add_decimal(&text, item->start);
	const char *position = text.data;
	if (item->has_data || item->has_lost) {
		finish_event(reader, item, position);
	} else if (entry->has_error && bare) {
		dump_failed(reader->dump, position, entry->error.data);
	} else if (item->listed.kind && item->has_id && bare) {
		item->listed.id = item->id;
		listing_add(&reader->listing, &item->listed, position);
	} else {
		finish_entry(reader, item, position);
	}
}

static bool read_items(struct plain_json_reader *reader);

static bool read_elements(
	struct plain_json_reader *reader, struct item *item, enum json_token token)
{
	if (token != JSON_ARRAY || reader->in_elements)
		return json_skip(&reader->json, token);
	item->has_elements = true;
	const char *file = reader->dump->source->name;
	auto_free char *name =
		item->has_id ? xasprintf("%s (map %" PRIu64 ")", file, item->id) : xstrdup(file);
	map_begin(reader, name, false);
	reader->in_elements = true;
	bool ok = read_items(reader);
	reader->in_elements = false;
	map_end(reader, !ok);
	return ok;
}

/* Members of an object that are not of a map entry. */
enum item_member {
	ELEMENTS,
	ID,
	TIMESTAMP,
	DATA,
	LOST,
	TYPE, /* this and the others are of lists */
	MAP_IDS,
	PROG_ID,
	BYTES_KEY,
	TAG,
	PROG_IDS,
	OTHER,
};

static const char *const item_names[OTHER] = {"elements", "id", "timestamp", "data", "lost", "type",
	"map_ids", "prog_id", "bytes_key", "tag", "prog_ids"};

static bool read_member(struct plain_json_reader *reader, struct item *item,
	enum item_member member, enum json_token token)
{
	struct json *json = &reader->json;
	struct listed *listed = &item->listed;

	switch (member) {
	case ELEMENTS:
		return read_elements(reader, item, token);
	case ID:
		item->has_id = token == JSON_NUMBER;
		return entry_json_number(json, token, &item->id);
	case TIMESTAMP:
		return entry_json_number(json, token, &item->timestamp);
	case DATA:
		return read_data(reader, item, token);
	case LOST:
		return read_lost(reader, item, token);
	case TYPE: /* "lru_percpu_hash" */
		if (token == JSON_STRING)
			listed->type = listing_map_type(text_scan(&json->text));
		break;
	case MAP_IDS: /* the first ID of [25,26] */
		if (token != JSON_ARRAY)
			break;
		token = json_next(json);
		return token == JSON_ARRAY_END ||
		       (entry_json_number(json, token, &listed->map) && json_skip_rest(json));
	case PROG_ID:
		listed->kind = LISTING_LINKS;
		return entry_json_number(json, token, &listed->prog);
	case BYTES_KEY:
		listed->kind = LISTING_MAPS;
		break;
	case TAG:
		listed->kind = LISTING_PROGRAMS;
		break;
	case PROG_IDS:
		listed->kind = LISTING_BTF;
		break;
	case OTHER:
		break;
	}
	return json_skip(json, token);
}

/* Reads an object of the document, whose { was consumed, up to its }. */
static bool read_item(struct plain_json_reader *reader)
{
	struct json *json = &reader->json;
	struct item item = {.start = json->start};
	enum json_token token;

	entry_clear(&reader->entry);
	while ((token = json_next(json)) == JSON_NAME) {
		enum entry_member of_entry = entry_json_find(json);
		size_t own =
			of_entry < ENTRY_MEMBERS ? OTHER : json_name_in(json, item_names, OTHER);

		token = json_next(json);
		if (own == OTHER ? !entry_json_read(json, &reader->entry, of_entry, token)
				 : !read_member(reader, &item, (enum item_member)own, token))
			return false;
	}
	if (token != JSON_OBJECT_END)
		return false;
	finish_item(reader, &item);
	return !reader->failure;
}

/* Reads the elements of an array, whose [ was consumed, up to its ]. */
static bool read_items(struct plain_json_reader *reader)
{
	struct json *json = &reader->json;

	for (;;) {
		enum json_token token = json_next(json);

		json->item = json->start;
		switch (token) {
		case JSON_ERROR:
			return false;
		case JSON_ARRAY_END:
			return true;
		case JSON_OBJECT:
			if (!read_item(reader))
				return false;
			break;
		case JSON_BREAK:
			map_begin(reader, reader->dump->source->name, false);
			if (!bpftool_text_read_failed(reader->dump))
				return false;
			break;
		default:
			warn(reader, json->start, "skipped: a value that is not a map entry");
			if (!json_skip(json, token))
				return false;
		}
	}
}

/* ---- documents ---- */

/* Warns about errors in the document. WHOLE: it was read to its end. */
static void report(struct plain_json_reader *reader, bool whole)
{
	const struct json *json = &reader->json;
	struct dump *dump = reader->dump;

	if (json->not_utf8)
		warn(reader, json->not_utf8_at, "text that is not valid UTF-8 is used unchanged");
	if (whole || dump->source->failure || dump->source->failed)
		return;
	if (json->cut && reader->events)
		log_add(dump->log, LOG_DETAIL, 1, "%s: the list of events ends without ]",
			dump->source->name);
	else if (json->cut)
		dump_warn(dump,
			"%s: the dump is truncated; its complete entries are used: dump "
			"it again",
			json->problem);
	else
		dump_warn(
			dump, "%s; the rest of this dump is skipped: dump it again", json->problem);
	dump->desynced = !json->cut;
}

struct error *bpftool_json_read(struct dump *dump)
{
	scope_guard(reader_cleanup) struct plain_json_reader reader = {.dump = dump};
	bool whole = false;

	reader.entry.wanted = dump->wanted;
	json_init(&reader.json, dump->source, true);
	enum json_token token = json_next(&reader.json);
	if (token == JSON_OBJECT) {
		whole = read_item(&reader);
		collector_map_is_lookup(dump->collector);
	} else if (token == JSON_ARRAY) {
		whole = read_items(&reader);
		if (whole && !reader.maps && !reader.events && !reader.listing.all.len)
			map_begin(&reader, dump->source->name, false); /* [] has no entries */
	}
	if (reader.failure)
		return take(reader.failure);
	map_end(&reader, !whole);
	if (!whole && !reader.maps && !reader.events) /* even its first entry was incomplete */
		collector_no_counts(dump->collector, dump->source->name, dump->role);
	listing_report(&reader.listing, dump);
	report(&reader, whole);
	return NULL;
}
