// SPDX-License-Identifier: GPL-2.0-or-later
/* Of YAML what a map of maps needs, as yaml.JSONToYAML() writes it: blocks, and scalars that may be folded. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "input/text/gadget.h"
#include "input/text/gadget_event.h"
#include "util/cleanup.h"
#include "util/text.h"

enum {
	LOOK_MAX = 64,	     /* bytes of a name that are looked at */
	LEVELS_MAX = 16,     /* of maps in an event */
	VALUE_MAX = 1 << 20, /* bytes of a text; the rest is left out */
};

/* How the value that is read goes on in the next line. */
enum yaml_style {
	NO_VALUE,
	PLAIN, /* in lines with a deeper indentation */
	SINGLE_QUOTED,
	DOUBLE_QUOTED,
	SKIPPED, /* as PLAIN: blocks of text, and lists */
};

struct yaml_level {
	size_t indent, path; /* blanks before its names; how much of the path is that of its map */
};

struct gadget_yaml {
	struct gadget_events events;
	struct text path, value;
	struct yaml_level levels[LEVELS_MAX];
	size_t level, indent; /* INDENT of the name whose value is read */
	enum yaml_style style;
	bool quoted;	/* the value is a text */
	char *position; /* of the event; owned */
	uint64_t odd;
};

static void gadget_yaml_deinit(struct gadget_yaml *reader)
{
	gadget_events_deinit(&reader->events);
	text_deinit(&reader->path);
	text_deinit(&reader->value);
	free(reader->position);
}

/* ---- values ---- */

static void add_char(struct gadget_yaml *reader, char c)
{
	if (reader->value.len < VALUE_MAX)
		text_add_char(&reader->value, c);
}

static void end_value(struct gadget_yaml *reader)
{
	if (reader->style != NO_VALUE && reader->style != SKIPPED)
		gadget_field(&reader->events, text_scan(&reader->path), text_scan(&reader->value),
			!reader->quoted);
	reader->style = NO_VALUE;
}

/* `'it''s'`: up to the closing quote, or the end of the line. */
static void add_single_quoted(struct gadget_yaml *reader, struct scan s)
{
	while (scan_left(&s)) {
		char c = *s.at++;

		if (c == '\'' && !scan_char(&s, '\'')) {
			end_value(reader);
			return;
		}
		add_char(reader, c);
	}
}

/* `\n`, `\x1b`, `\u00e9`: what is not ASCII becomes a question mark. S is behind the backslash. */
static void add_escaped(struct gadget_yaml *reader, struct scan *s)
{
	static const char from[] = "0abtnvfre", to[] = "\0\a\b\t\n\v\f\r\033";
	char c = *s->at++;
	const char *at = c ? strchr(from, c) : NULL;
	size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
	uint64_t number;

	if (!digits) {
		add_char(reader, at ? to[at - from] : c);
		return;
	}
	struct scan hex = {s->at, scan_left(s) < digits ? s->end : s->at + digits};
	if (!scan_hex(&hex, &number))
		number = '?';
	s->at = hex.at;
	add_char(reader, number < 0x80 ? (char)number : '?');
}

static void add_double_quoted(struct gadget_yaml *reader, struct scan s)
{
	while (scan_left(&s)) {
		char c = *s.at++;

		if (c == '"') {
			end_value(reader);
			return;
		}
		if (c == '\\' && scan_left(&s))
			add_escaped(reader, &s);
		else if (c != '\\')
			add_char(reader, c);
	}
}

static void add_plain(struct gadget_yaml *reader, struct scan s)
{
	while (scan_left(&s))
		add_char(reader, *s.at++);
}

static void begin_value(struct gadget_yaml *reader, struct scan s)
{
	text_clear(&reader->value);
	text_reserve(&reader->value, 1);
	reader->quoted = scan_starts(s, "'") || scan_starts(s, "\"");
	if (!scan_left(&s)) {
		reader->style = NO_VALUE; /* a map, or a list at the same indentation */
	} else if (scan_char(&s, '\'')) {
		reader->style = SINGLE_QUOTED;
		add_single_quoted(reader, s);
	} else if (scan_char(&s, '"')) {
		reader->style = DOUBLE_QUOTED;
		add_double_quoted(reader, s);
	} else if (*s.at == '|' || *s.at == '>') {
		reader->style = SKIPPED;
	} else {
		reader->style = PLAIN;
		add_plain(reader, s);
	}
}

/* Whether the line is more of the value: a line's end, and the blanks around it, are one blank. */
static bool continues_value(struct gadget_yaml *reader, struct scan s, size_t indent)
{
	bool quoted = reader->style == SINGLE_QUOTED || reader->style == DOUBLE_QUOTED;

	if (reader->style == NO_VALUE || (!quoted && indent <= reader->indent))
		return false;
	if (reader->style == SKIPPED)
		return true;
	add_char(reader, ' ');
	if (reader->style == SINGLE_QUOTED)
		add_single_quoted(reader, s);
	else if (reader->style == DOUBLE_QUOTED)
		add_double_quoted(reader, s);
	else
		add_plain(reader, s);
	return true;
}

/* ---- lines ---- */

/* `name: value`, `name:` */
static bool scan_name(struct scan *s, struct scan *ret)
{
	const char *at = s->at;

	while (at < s->end && (isalnum((unsigned char)*at) || strchr("_-./", *at)))
		at++;
	if (at == s->at || at == s->end || *at != ':' || (at + 1 < s->end && at[1] != ' '))
		return false;
	*ret = (struct scan){s->at, at};
	s->at = at + 1;
	scan_blanks(s);
	return true;
}

static bool enter(struct gadget_yaml *reader, struct scan name, size_t indent)
{
	while (reader->level && reader->levels[reader->level - 1].indent >= indent)
		reader->level--;
	if (reader->level >= LEVELS_MAX)
		return false;
	struct yaml_level *level = &reader->levels[reader->level++];
	*level = (struct yaml_level){
		indent, reader->level > 1 ? reader->levels[reader->level - 2].path : 0};
	reader->path.len = level->path;
	if (level->path)
		text_add_char(&reader->path, '.');
	text_add_scan(&reader->path, name);
	level->path = reader->path.len;
	reader->indent = indent;
	return true;
}

static struct error *end_event(struct gadget_yaml *reader)
{
	end_value(reader);
	reader->level = 0;
	return gadget_event_end(&reader->events, reader->position);
}

static void read_line(struct gadget_yaml *reader, const struct source_line *line)
{
	struct scan s = source_line_text(line), name;

	scan_cut_end(&s, ' ');
	const char *start = s.at;
	scan_blanks(&s);
	size_t indent = (size_t)(s.at - start);

	if (!scan_left(&s) || continues_value(reader, s, indent))
		return;
	end_value(reader);
	if (*s.at == '-') {
		reader->style = SKIPPED;
		reader->indent = indent;
	} else if (scan_name(&s, &name) && enter(reader, name, indent)) {
		begin_value(reader, s);
	} else {
		reader->odd++;
	}
}

bool gadget_yaml_starts(struct source *source)
{
	static const char start[] = "---";
	const size_t len = sizeof(start) - 1;

	/* No further than it fits: who writes it may wait for an answer. */
	for (size_t at = 0; at < len; at++)
		if (!source_has_bytes(source, at + 1) || source->at[at] != start[at])
			return false;
	size_t at = len;
	if (source_has_bytes(source, at + 1) && source->at[at] == '\r')
		at++;
	if (!source_has_bytes(source, at + 1) || source->at[at++] != '\n')
		return false;
	for (size_t from = at; at < from + LOOK_MAX && source_has_bytes(source, at + 2); at++)
		if (!isalnum((unsigned char)source->at[at]) && source->at[at] != '_')
			return at > from && source->at[at] == ':' &&
			       memchr(" \r\n", source->at[at + 1], 3);
	return false;
}

struct error *gadget_yaml_read(struct dump *dump, const struct input_options *options)
{
	scope_guard(gadget_yaml_deinit) struct gadget_yaml reader = {};
	struct source_line line;

	try(dump_goes_live(dump));
	collector_samples_count(dump->collector);
	try(gadget_events_init(&reader.events, dump, options));
	while (source_line(dump->source, &line)) {
		if (line.skipped) {
			reader.odd++;
		} else if (scan_equals(source_line_text(&line), "---")) {
			try(end_event(&reader));
			free(reader.position);
			reader.position = source_position(dump->source, line.number);
		} else {
			read_line(&reader, &line);
		}
	}
	try(end_event(&reader));
	if (reader.odd)
		dump_warn(dump,
			"%s: lines among events of Inspektor Gadget that are not understood: %" PRIu64,
			dump->source->name, reader.odd);
	gadget_events_report(&reader.events);
	return NULL;
}
