// SPDX-License-Identifier: GPL-2.0-or-later
#include "mock_collector.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/lists/lines.h"
#include "util/xalloc.h"

struct text *recording_calls;

struct line_reader {
	struct collector *collector;
};

static void touch(struct collector *collector, const void *p, size_t len)
{
	const unsigned char *bytes = p;

	for (size_t i = 0; i < len; i++)
		collector->touched += bytes[i];
}

static void add_bytes(struct text *text, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		text_printf(text, "%02x", p[i]);
}

static void add_position(struct collector *collector, const char *position)
{
	if (collector->with_places)
		text_printf(&collector->calls, " @%s", position);
	text_add_char(&collector->calls, '\n');
}

struct error *collector_create(const struct input_options *options, struct log *log,
	struct input_sink *sink, struct collector **ret)
{
	(void)options;
	(void)log;
	(void)sink;
	*ret = xcalloc(1, sizeof(struct collector));
	return NULL;
}

void collector_destroy(struct collector *collector)
{
	if (!collector)
		return;
	if (recording_calls)
		text_add(recording_calls, collector->calls.data, collector->calls.len);
	text_deinit(&collector->calls);
	free(collector);
}

void collector_refuse(struct collector *collector)
{
	(void)collector;
}

void collector_stack_map_begin(struct collector *collector, const char *name, bool build_ids)
{
	(void)build_ids;
	collector_map_begin(collector, name, INPUT_STACKS);
}

void collector_map_begin(struct collector *collector, const char *name, enum input_role role)
{
	if (!collector->quiet)
		text_printf(&collector->calls, "map %s %d\n", name, (int)role);
}

static void add_field(struct collector *collector, const struct field *field)
{
	struct text *calls = &collector->calls;

	text_printf(calls, " %s=", field->name);
	if (field->kind == FIELD_NUMBER) {
		text_printf(calls, "%" PRId64, (int64_t)field->number);
	} else if (field->kind == FIELD_TEXT) {
		text_add_char(calls, '"');
		text_add_escaped(calls, field->bytes, field->len);
		text_add_char(calls, '"');
	} else if (field->kind == FIELD_WORDS || field->kind == FIELD_NUMBERS) {
		for (size_t i = 0; i < field->len; i += 8) {
			uint64_t word;
			memcpy(&word, field->bytes + i, 8);
			text_printf(calls, "%s%" PRIx64, i ? "," : "<", word);
		}
		text_add_char(calls, '>');
	} else {
		add_bytes(calls, (const uint8_t *)field->bytes, field->len);
	}
}

void collector_entry(struct collector *collector, const struct map_entry *entry)
{
	struct text *calls = &collector->calls;

	touch(collector, entry->key, entry->key_len);
	touch(collector, entry->value, entry->value_len);
	for (size_t i = 0; entry->formatted && i < entry->formatted->n; i++) {
		const struct field *field = &entry->formatted->fields[i];
		touch(collector, field->name, strlen(field->name));
		touch(collector, field->bytes, field->len);
	}
	if (collector->quiet)
		return;
	text_add_string(calls, "entry");
	if (entry->cpu >= 0)
		text_printf(calls, " cpu%d", entry->cpu);
	if (entry->key) {
		text_add_char(calls, ' ');
		add_bytes(calls, entry->key, entry->key_len);
		text_add_char(calls, ':');
		add_bytes(calls, entry->value, entry->value_len);
	}
	for (size_t i = 0; entry->formatted && i < entry->formatted->n; i++)
		add_field(collector, &entry->formatted->fields[i]);
	add_position(collector, entry->position);
}

void collector_count_map_begin(
	struct collector *collector, const char *name, bool automatic, bool peeked)
{
	(void)peeked;
	(void)automatic;
	collector_map_begin(collector, name, INPUT_COUNTS);
}

void collector_map_is_lookup(struct collector *collector)
{
	(void)collector;
}

void collector_no_counts(struct collector *collector, const char *what, enum input_role role)
{
	(void)role;
	touch(collector, what, strlen(what));
}

bool collector_holds_rows(const struct collector *collector)
{
	(void)collector;
	return false;
}

void collector_live_stacks(struct collector *collector, const struct join_live *live)
{
	(void)collector;
	(void)live;
}

void collector_entry_error(struct collector *collector, const char *text)
{
	touch(collector, text, strlen(text));
	if (!collector->quiet)
		text_printf(&collector->calls, "error %s\n", text);
}

void collector_map_end(struct collector *collector, bool truncated)
{
	if (!collector->quiet)
		text_add_string(&collector->calls, truncated ? "cut\n" : "end\n");
}

static struct error *count_call(struct collector *collector, unsigned n)
{
	if (collector->fail_at && n >= collector->fail_at)
		return error_create(ERROR_SYSTEM, "the sink failed");
	return NULL;
}

struct error *collector_row(
	struct collector *collector, const struct row *record, const char *position)
{
	(void)record;
	(void)position;
	return count_call(collector, ++collector->rows);
}

struct error *collector_event(struct collector *collector, const uint8_t *data, size_t len,
	uint64_t time, const char *position)
{
	touch(collector, data, len);
	if (!collector->quiet) {
		text_printf(&collector->calls, "event %" PRIu64 " ", time);
		add_bytes(&collector->calls, data, len);
		add_position(collector, position);
	}
	return count_call(collector, ++collector->events);
}

uint64_t collector_samples(const struct collector *collector)
{
	(void)collector;
	return 0;
}

void collector_sample_process(struct collector *collector, uint64_t number, int64_t pid)
{
	(void)collector;
	(void)number;
	(void)pid;
}

void collector_live_events(struct collector *collector, bool early)
{
	(void)collector;
	(void)early;
}

void collector_lost_events(struct collector *collector, uint64_t count)
{
	if (!collector->quiet)
		text_printf(&collector->calls, "lost %" PRIu64 "\n", count);
}

struct error *collector_sample(struct collector *collector, const struct sample *sample)
{
	(void)collector;
	(void)sample;
	return NULL;
}

const struct location *collector_name(struct collector *collector, enum location_kind kind,
	enum frame_source source, const char *name)
{
	(void)collector;
	(void)kind;
	(void)source;
	(void)name;
	return NULL;
}

void collector_samples_count(struct collector *collector)
{
	(void)collector;
}

struct error *collector_stacks_complete(struct collector *collector)
{
	if (!collector->completes++ && recording_calls)
		text_add_string(&collector->calls, "complete\n");
	return NULL;
}

struct error *collector_flush(struct collector *collector)
{
	collector->flushes++;
	return NULL;
}

struct error *collector_end(struct collector *collector, struct input_stats *ret)
{
	ret->samples = collector->rows;
	return NULL;
}

bool collector_used(const struct collector *collector, const char *name)
{
	(void)collector;
	(void)name;
	return false;
}

struct error *collector_changed(struct collector *collector, const char *name,
	const struct map_entry *entries, size_t n, bool *ret_other)
{
	(void)collector;
	(void)name;
	(void)entries;
	(void)n;
	*ret_other = false;
	return NULL;
}

struct error *collector_taken(
	struct collector *collector, const char *name, const struct map_entry *entries, size_t n)
{
	(void)collector;
	(void)name;
	(void)entries;
	(void)n;
	return NULL;
}

void collector_report(struct collector *collector)
{
	(void)collector;
}

bool collector_has_events(const struct collector *collector)
{
	(void)collector;
	return false;
}

bool collector_weighted(const struct collector *collector)
{
	return collector->weighted;
}

struct error *line_reader_create(const struct input_options *options, struct log *log,
	struct collector *collector, struct line_reader **ret)
{
	struct line_reader *reader = xcalloc(1, sizeof(*reader));

	(void)options;
	(void)log;
	reader->collector = collector;
	*ret = reader;
	return NULL;
}

void line_reader_destroy(struct line_reader *reader)
{
	free(reader);
}

struct error *line_reader_end(struct line_reader *reader)
{
	(void)reader;
	return NULL;
}

struct error *line_reader_line(
	struct line_reader *reader, const char *line, size_t len, const char *position)
{
	struct collector *collector = reader->collector;

	touch(collector, line, len);
	if (!collector->quiet) {
		text_add_string(&collector->calls, "line ");
		text_add_escaped(&collector->calls, line, len);
		add_position(collector, position);
	}
	return count_call(collector, ++collector->rows);
}

static ssize_t bytes_read(void *context, void *buffer, size_t size)
{
	struct bytes *bytes = context;
	size_t n = (size_t)(bytes->end - bytes->at);

	if (n > size)
		n = size;
	if (bytes->step && n > bytes->step)
		n = bytes->step;
	if (n)
		memcpy(buffer, bytes->at, n);
	bytes->at += n;
	return (ssize_t)n;
}

static bool bytes_ready(void *context)
{
	(void)context;
	return false;
}

struct source *bytes_source(struct bytes *bytes, struct log *log)
{
	size_t chunk = bytes->step ? bytes->step : 4096;

	return source_create(
		"F", (struct source_reader){bytes_read, bytes_ready, bytes}, chunk, log);
}

void log_text(const struct log *log, struct text *ret)
{
	for (size_t i = 0; i < log->entries.len; i++) {
		const struct log_entry *entry = &log->entries.data[i];

		text_printf(ret, "%s: %s", entry->level == LOG_WARNING ? "warning" : "detail",
			entry->text);
		if (entry->count > 1)
			text_printf(ret, " (%" PRIu64 " times)", entry->count);
		text_add_char(ret, '\n');
	}
}
