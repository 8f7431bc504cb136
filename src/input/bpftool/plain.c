// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/bpftool/bpftool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/bpftool/entry.h"
#include "input/bpftool/hex_rows.h"
#include "util/cleanup.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/xalloc.h"

enum text_part {
	PART_NONE,
	PART_KEY,
	PART_VALUE,
	PART_MAP, /* an inner map's ID, instead of a value */
};

struct text_reader {
	struct dump *dump;
	struct entry entry;
	enum text_part part; /* part that the next row of bytes belongs to */
	size_t value_at;     /* start of the current value in entry.raw */
	int cpu;	     /* CPU of the current value; -1: not per CPU */
	bool open, wrong;    /* an entry is open; it has an invalid byte */
	bool keyless;	     /* the map is a queue or stack */
	bool map_open;
	struct text position; /* "FILE:LINE" of the entry */
	char *name;	      /* name of the map, from its header line, or NULL */
	uint64_t entries;     /* number of entries that have ended */
	size_t value_size;    /* of the first entry, in bytes */
	struct inner_maps inner;
	struct source_line line;
};

static void reader_cleanup(struct text_reader *reader)
{
	inner_maps_deinit(&reader->inner);
	entry_deinit(&reader->entry);
	text_deinit(&reader->position);
	free(reader->name);
}

static void map_begin(struct text_reader *reader)
{
	if (!reader->map_open)
		dump_map_begin(
			reader->dump, reader->name ?: reader->dump->source->name, reader->keyless);
	reader->map_open = true;
}

/* ---- entries ---- */

static void entry_begin(struct text_reader *reader)
{
	entry_clear(&reader->entry);
	text_clear(&reader->position);
	text_add_string(&reader->position, reader->dump->source->name);
	text_add_char(&reader->position, ':');
	text_add_decimal(&reader->position, reader->line.number);
	reader->open = true;
	reader->wrong = false;
	reader->part = PART_KEY;
	reader->entry.has_key = true;
	map_begin(reader);
}

/* Ends the current value, if any: the bytes of entry.raw from value_at on. */
static void value_end(struct text_reader *reader)
{
	struct entry *entry = &reader->entry;

	if (reader->part != PART_VALUE || entry->has_error)
		return;
	entry_add_value(entry);
	entry_set_raw(entry, reader->value_at);
	entry_set_cpu(entry, reader->cpu);
	if (!reader->value_size)
		reader->value_size = entry->raw.len - reader->value_at;
	reader->part = PART_NONE;
}

/* Ends the open entry, if any, and passes it on. */
static void entry_end(struct text_reader *reader)
{
	struct entry *entry = &reader->entry;
	struct dump *dump = reader->dump;

	value_end(reader);
	if (!reader->open)
		return;
	reader->open = false;
	reader->part = PART_NONE;
	reader->entries++;
	if (entry->is_map)
		inner_maps_add(&reader->inner, entry->inner_map, reader->position.data);
	else if (entry->too_large || entry->has_error || (!reader->wrong && entry_is_whole(entry)))
		entry_finish(entry, dump, reader->position.data);
	else if (!reader->wrong)
		dump_warn(dump, "%s: entry skipped: it has no value", reader->position.data);
}

static void map_end(struct text_reader *reader, bool truncated)
{
	inner_maps_report(&reader->inner, reader->dump);
	if (reader->map_open && !reader->keyless)
		collector_map_end(reader->dump->collector, truncated);
	reader->map_open = false;
}

static void wrong_byte(struct text_reader *reader, const struct scan *row)
{
	struct text text = {};
	size_t len = scan_left(row) < 20 ? scan_left(row) : 20;

	if (!reader->wrong) {
		text_add_escaped(&text, row->at, len);
		dump_warn(reader->dump,
			"%s:%" PRIu64 ": entry skipped: \"%s\" is not a hex "
			"byte",
			reader->dump->source->name, reader->line.number, text.data);
		text_deinit(&text);
	}
	reader->wrong = true;
}

/* Returns true if ROW looks like bytes: it starts with a digit or has a word of two hex digits. */
static bool has_byte(const struct scan *row)
{
	struct scan scan = *row, word;
	char ignored;

	if (scan_left(&scan) && *scan.at >= '0' && *scan.at <= '9')
		return true;
	for (scan_blanks(&scan); scan_left(&scan); scan_blanks(&scan)) {
		if (hex_row_byte(&scan, &ignored))
			return true;
		if (!scan_word(&scan, &word))
			return false;
	}
	return false;
}

/* Returns true if ROW has only words of two hex digits, and at least one. */
static bool all_bytes(struct scan row)
{
	char ignored;

	scan_blanks(&row);
	if (!scan_left(&row))
		return false;
	while (hex_row_byte(&row, &ignored))
		;
	return !scan_left(&row);
}

/* Reads a row of the current part, or the rest of the line that began it. */
static void read_row(struct text_reader *reader, struct scan *row)
{
	struct entry *entry = &reader->entry;
	bool value = reader->part == PART_VALUE;
	struct text *to = value ? &entry->raw : &entry->key;
	size_t had = to->len;

	scan_blanks(row);
	if (reader->part == PART_MAP) {
		entry->is_map |= scan_decimal(row, &entry->inner_map);
	} else if (!hex_row_bytes(row, to)) {
		entry->too_large = true;
	} else if (scan_left(row) && value && had == reader->value_at && to->len == had &&
		   !has_byte(row)) {
		entry->has_error = true;
		text_clear(&entry->error);
		text_add_escaped(&entry->error, row->at, scan_left(row));
	} else if (scan_left(row)) {
		wrong_byte(reader, row);
	}
}

/* Reads "value:" or "value (CPU 00):". CPU_RET is -1 without CPU. */
static bool scan_value_name(struct scan *scan, int *cpu_ret)
{
	struct scan s = *scan;
	uint64_t cpu = UINT64_MAX;

	if (!scan_literal(&s, "value"))
		return false;
	if (scan_literal(&s, " (CPU ") && (!scan_decimal(&s, &cpu) || !scan_char(&s, ')')))
		return false;
	if (!scan_char(&s, ':'))
		return false;
	*cpu_ret = cpu > INT32_MAX ? -1 : (int)cpu;
	*scan = s;
	return true;
}

static bool read_value_name(struct text_reader *reader, struct scan *row)
{
	int cpu;

	scan_blanks(row);
	if (scan_literal(row, "inner_map_id:")) {
		reader->part = PART_MAP;
		read_row(reader, row);
		return true;
	}
	if (!scan_value_name(row, &cpu))
		return false;
	value_end(reader);
	reader->cpu = cpu;
	reader->part = PART_VALUE;
	reader->value_at = reader->entry.raw.len;
	read_row(reader, row);
	return true;
}

/* Reads "key: 01 00", which the value may follow in the same line. */
static void read_key_line(struct text_reader *reader, struct scan *row)
{
	struct entry *entry = &reader->entry;

	entry_end(reader);
	entry_begin(reader);
	if (!hex_row_bytes(row, &entry->key))
		entry->too_large = true;
	else if (scan_left(row) && !read_value_name(reader, row))
		wrong_byte(reader, row);
}

/* ---- whole dumps ---- */

/* Reads "25: hash  name counts  flags 0x0". */
static bool scan_header(struct scan line, uint64_t *id_ret)
{
	return scan_decimal(&line, id_ret) && scan_literal(&line, ": ") &&
	       scan_find(line, "  flags 0x");
}

/* Reads "Found 2 elements". */
static bool scan_found(struct scan line, uint64_t *ret)
{
	return scan_literal(&line, "Found ") && scan_decimal(&line, ret) &&
	       scan_starts(line, " element");
}

/* Returns true for "value: 05 00 …", or "value:" with the bytes in the next line. */
static bool starts_keyless(struct scan line)
{
	if (!scan_literal(&line, "value:"))
		return false;
	scan_blanks(&line);
	return !scan_left(&line) || *line.at == '\r' || all_bytes(line);
}

bool bpftool_text_starts(struct scan line)
{
	uint64_t ignored;

	return scan_starts(line, "key:") || scan_starts(line, "Not found") ||
	       starts_keyless(line) || scan_found(line, &ignored) || scan_header(line, &ignored);
}

/* Returns true if the current key or value may continue, since its rows so far have 16 bytes. */
static bool expects_row(const struct text_reader *reader)
{
	const struct entry *entry = &reader->entry;

	if (reader->part == PART_KEY)
		return entry->key.len % 16 == 0;
	if (reader->part == PART_MAP)
		return !entry->is_map;
	return reader->part == PART_VALUE && !entry->has_error &&
	       (entry->raw.len - reader->value_at) % 16 == 0;
}

/* Returns true if LINE belongs to the current dump. */
static bool is_ours(struct text_reader *reader, const struct source_line *line)
{
	struct scan scan = source_line_text(line), name = scan;
	uint64_t ignored;
	int cpu;

	if (!line->len)
		return true;
	/* "value:" belongs to the open key unless that has a value already */
	if (starts_keyless(scan))
		return reader->keyless || !reader->map_open || reader->part == PART_KEY;
	if (scan_header(scan, &ignored) && reader->map_open)
		return false; /* header of another map or of a list */
	if (bpftool_text_starts(scan))
		return !reader->keyless;
	if (reader->keyless)
		return reader->open && (all_bytes(scan) || reader->wrong);
	scan_blanks(&name);
	return reader->open &&
	       (scan_value_name(&name, &cpu) || scan_starts(name, "inner_map_id:") ||
		       all_bytes(scan) || reader->wrong || expects_row(reader));
}

/* Reads one line. Returns false after the last line of the map. */
static bool read_line(struct text_reader *reader)
{
	struct dump *dump = reader->dump;
	const char *file = dump->source->name;
	const struct source_line *line = &reader->line;
	struct scan row = source_line_text(line);
	uint64_t number;

	if (scan_literal(&row, "key:")) {
		read_key_line(reader, &row);
	} else if (scan_found(row, &number)) {
		map_begin(reader);
		entry_end(reader);
		bool cut = number > reader->entries;
		if (cut)
			dump_warn(dump,
				"%s:%" PRIu64 ": the dump announces %" PRIu64
				" elements but has %" PRIu64 ": dump it again",
				file, line->number, number, reader->entries);
		map_end(reader, cut);
		return false;
	} else if (scan_starts(row, "Not found")) {
		/* drop the open entry: a failed lookup prints its key first */
		reader->open = false;
		reader->part = PART_NONE;
		map_begin(reader);
		collector_entry_error(dump->collector, "Not found");
		map_end(reader, false);
		return false;
	} else if (scan_header(row, &number)) {
		/* the next map begins with its first entry: with BTF it continues as JSON */
		entry_end(reader);
		map_end(reader, reader->entries > 1);
		free(reader->name);
		reader->name = xasprintf("%s (map %" PRIu64 ")", file, number);
		reader->entries = 0;
		reader->value_size = 0;
	} else if ((reader->keyless || !reader->map_open) && scan_starts(row, "value:")) {
		/* an entry without key, as `map pop` prints it */
		entry_end(reader);
		reader->keyless = true;
		entry_begin(reader);
		read_value_name(reader, &row);
	} else if (line->len && !read_value_name(reader, &row)) {
		read_row(reader, &row);
	}
	return true;
}

/*
 * Returns true if the last entry is incomplete: it has no value, or the value is empty, or shorter
 * than the first one, or itself the first one in a line without newline.
 */
static bool lacks_end(const struct text_reader *reader)
{
	const struct entry *entry = &reader->entry;
	size_t len = entry->raw.len - reader->value_at;

	if (reader->part == PART_KEY)
		return true;
	if (reader->part != PART_VALUE || entry->has_error)
		return false;
	if (reader->wrong)
		return reader->line.cut;
	return !len || len < reader->value_size || (reader->line.cut && !reader->value_size);
}

/*
 * Ends a map without "Found" line. The map is truncated, unless it is a queue or the single entry
 * of a lookup.
 */
static void end_early(struct text_reader *reader)
{
	struct dump *dump = reader->dump;
	bool cut = !reader->keyless && reader->entries > (reader->open ? 0 : 1);

	if (reader->open && lacks_end(reader)) {
		cut = true;
		reader->open = false;
	}
	entry_end(reader);
	if (cut && reader->map_open && !dump->source->failure)
		dump_warn(dump,
			"%s:%" PRIu64 ": the dump is truncated (no \"Found\" line); its "
			"complete entries are used: dump it again",
			dump->source->name, reader->line.number);
	if (!cut && reader->map_open)
		collector_map_is_lookup(dump->collector);
	map_end(reader, cut);
}

void bpftool_text_read(struct dump *dump)
{
	scope_guard(reader_cleanup) struct text_reader reader = {.dump = dump};
	struct source *source = dump->source;

	for (;;) {
		bool value = reader.part == PART_VALUE;

		/* full rows are most of a dump: they are not checked for what else they may be */
		if (reader.open && (value || reader.part == PART_KEY) && !reader.wrong &&
			!reader.entry.too_large && expects_row(&reader) &&
			hex_rows_take(source, value ? &reader.entry.raw : &reader.entry.key))
			reader.line = (struct source_line){.at = source->at - HEX_ROW_LEN - 1,
				.len = HEX_ROW_LEN,
				.number = source_line_number(source) - 1};
		if (!source_line(source, &reader.line))
			break;
		if (!is_ours(&reader, &reader.line)) {
			source_line_back(source, &reader.line);
			reader.line.cut = false; /* the line before it was complete */
			break;
		}
		if (!read_line(&reader))
			return;
	}
	end_early(&reader);
}

bool bpftool_text_read_failed(struct dump *dump)
{
	struct source_line line;

	for (bool named = false; source_line(dump->source, &line);) {
		const char *value = memmem(line.at, line.len, "value:", 6);
		struct scan text = {value ? value + 6 : line.at, line.at + line.len};
		struct text error = {};

		named |= value != NULL;
		scan_blanks(&text);
		if (!named || !scan_left(&text))
			continue;
		text_add_escaped(&error, text.at, scan_left(&text));
		collector_entry_error(dump->collector, error.data);
		text_deinit(&error);
		return true;
	}
	return false;
}
