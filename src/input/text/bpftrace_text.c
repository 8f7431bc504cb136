// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/bpftrace_text.h"

#include <inttypes.h>
#include <string.h>

#include "input/text/bpftrace_key.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

enum {
	NAME_SHOWN = 60 /* bytes of a map's name */
};

struct bpftrace_text {
	struct bpftrace_reading reading;
	struct bpftrace_key key;
	struct text map; /* "@name" of the entry that is read */
};

static void bpftrace_text_deinit(struct bpftrace_text *text)
{
	bpftrace_reading_deinit(&text->reading);
	bpftrace_key_deinit(&text->key);
	text_deinit(&text->map);
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* `@name` */
static bool scan_map_name(struct scan *s, struct scan *ret)
{
	struct scan at = *s;

	if (!scan_char(&at, '@'))
		return false;
	while (scan_left(&at) && is_name_char(*at.at))
		at.at++;
	*ret = (struct scan){s->at, at.at};
	*s = at;
	return true;
}

static bool is_printed(const struct bpftrace_text *text, struct scan line)
{
	return blocks_start(text->key.blocks, TOOL_BPFTRACE_PRINTED, line);
}

/* ---- maps ---- */

static struct error *refuse(struct bpftrace_text *text, const char *position, const char *what)
{
	struct dump *dump = text->reading.dump;

	collector_no_counts(dump->collector, position, INPUT_ANY);
	dump_warn(dump, "%s: %s%s: %s", position, text->map.data, "[…]", what);
	return NULL;
}

/* What stands after `]: `. False: no number above -1, or more. */
static bool parse_value(struct scan s, uint64_t *ret)
{
	scan_cut_end(&s, ' ');
	return scan_all_decimal(s, ret) && *ret <= INT64_MAX;
}

/* The last `]: ` or `]:` in the line, at which the key ends; NULL: it goes on. */
static const char *find_end(struct scan line)
{
	for (const char *at = line.end; at > line.at; at--)
		if (at[-1] == ']' && at < line.end && *at == ':' &&
			(at + 1 == line.end || at[1] == ' '))
			return at - 1;
	return NULL;
}

/* Parts of a key without stacks in them: `a, b, `; with NEWLINE a stack begins after the last comma. */
static void add_parts(struct bpftrace_key *key, struct scan s, bool newline)
{
	for (;;) {
		const char *comma = scan_find(s, ", ");
		struct scan part = {s.at, comma ? comma : s.end};

		if (!comma && newline)
			break;
		bpftrace_key_text(key, part);
		if (!comma)
			return;
		s.at = comma + 2;
	}
	bpftrace_key_stack(key);
}

/* What stands after the key that is read now; VALUE is after its bracket and colon. */
static struct error *end_entry(
	struct bpftrace_text *text, struct scan value, bool truncated, const char *position)
{
	uint64_t weight;

	if (!bpftrace_key_has_stack(&text->key))
		return NULL;
	if (truncated)
		return refuse(
			text, position, "the key is truncated, or has a line that is no frame");
	if (!parse_value(value, &weight))
		return refuse(text, position, BPFTRACE_NO_COUNT);
	return bpftrace_entry(&text->reading, &text->key, weight, position);
}

static struct scan after_bracket(const char *bracket, struct scan line)
{
	struct scan value = {bracket + 2, line.end};

	scan_blanks(&value);
	return value;
}

/* The lines after the first one of an entry whose key goes on. */
static struct error *read_key(struct bpftrace_text *text, const char *position)
{
	struct source *source = text->reading.dump->source;
	struct bpftrace_key *key = &text->key;
	struct source_line line;

	while (source_line(source, &line)) {
		struct scan s = source_line_text(&line);
		bool separated = scan_literal(&s, ", ") || (line.len == 1 && scan_char(&s, ','));
		const char *end = separated || scan_starts(s, "]") ? find_end(s) : NULL;

		if (end && separated)
			add_parts(key, (struct scan){s.at, end}, false);
		if (end)
			return end_entry(text, after_bracket(end, s), false, position);
		if (separated)
			add_parts(key, s, true);
		else if (line.skipped || !bpftrace_key_frame(key, s, false)) {
			if (!line.skipped)
				source_line_back(source, &line);
			break;
		}
	}
	return end_entry(text, (struct scan){}, true, position);
}

/* The entry that begins with LINE, whose map NAME has a key after it. */
static struct error *read_entry(
	struct bpftrace_text *text, struct scan name, struct scan s, const char *position)
{
	size_t len = scan_left(&name) < NAME_SHOWN ? scan_left(&name) : NAME_SHOWN;
	const char *end;

	name.end = name.at + len;
	if (text->map.len != len || memcmp(text->map.data, name.at, len) != 0) {
		text_clear(&text->map);
		text_add_scan(&text->map, name);
		text->reading.map = &text->map;
		text->reading.parts = 0;
	}
	bpftrace_key_clear(&text->key);
	if (!scan_char(&s, '['))
		return NULL; /* one value, no key */
	end = find_end(s);
	add_parts(&text->key, end ? (struct scan){s.at, end} : s, !end);
	return end ? end_entry(text, after_bracket(end, s), false, position)
		   : read_key(text, position);
}

/* ---- printf() ---- */

/* The frames from here on; the line after them is the next. */
static void read_printed(struct bpftrace_text *text)
{
	struct source *source = text->reading.dump->source;
	struct source_line line;

	bpftrace_key_stack(&text->key);
	while (source_line(source, &line)) {
		struct scan s = source_line_text(&line);

		if (line.skipped || !is_printed(text, s)) {
			if (!line.skipped)
				source_line_back(source, &line);
			return;
		}
		(void)bpftrace_key_frame(&text->key, s, false);
	}
}

/* Whether frames follow after one empty line. */
static bool at_second_stack(const struct bpftrace_text *text)
{
	struct source *source = text->reading.dump->source;
	struct source_line line;

	if (!source_has(source) || *source->at != '\n')
		return false;
	source->at++;
	if (!source_has_bytes(source, BPFTRACE_INDENT + 1))
		return false;
	if (memcmp(source->at, "        ", BPFTRACE_INDENT) != 0 || !source_line(source, &line))
		return false;
	source_line_back(source, &line);
	return is_printed(text, source_line_text(&line));
}

static struct error *read_stacks(struct bpftrace_text *text, const char *position)
{
	bpftrace_key_clear(&text->key);
	read_printed(text);
	if (at_second_stack(text))
		read_printed(text);
	return bpftrace_printed(&text->reading, &text->key, position);
}

static struct error *read_line(
	struct bpftrace_text *text, const struct source_line *line, const char *position)
{
	struct scan s = source_line_text(line), name;

	if (is_printed(text, s)) {
		source_line_back(text->reading.dump->source, line);
		return read_stacks(text, position);
	}
	return scan_map_name(&s, &name) ? read_entry(text, name, s, position) : NULL;
}

struct error *bpftrace_text_read(struct dump *dump, const struct input_options *options,
	struct tool_blocks *blocks,
	bool (*is_other)(struct tool_blocks *blocks, const char *line, size_t len))
{
	scope_guard(bpftrace_text_deinit) struct bpftrace_text text = {.key.blocks = blocks};
	struct source_line line;

	try(dump_goes_live(dump));
	try(bpftrace_reading_init(&text.reading, dump, options));
	while (source_line(dump->source, &line)) {
		if (line.skipped || !line.len)
			continue;
		if (is_other(blocks, line.at, line.len)) {
			source_line_back(dump->source, &line);
			break;
		}
		auto_free char *position = source_position(dump->source, line.number);
		try(read_line(&text, &line, position));
	}
	return bpftrace_reading_end(&text.reading);
}
