// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns: pkg/columns/formatter/textcolumns of inspektor-gadget. Numbers may be at the right of theirs. */
#include <ctype.h>
#include <string.h>

#include "input/text/gadget.h"
#include "input/text/gadget_event.h"
#include "util/cleanup.h"
#include "util/text.h"

enum {
	COLUMNS_MAX = 128,
	NAME_MAX_LEN = 64, /* bytes */
	HEAD_MAX = 1 << 14,
};
static const char clear_screen[] = "\033[H\033[2J"; /* before the heads of some gadgets */

struct gadget_column {
	size_t start, end; /* of its name, in characters */
	char name[NAME_MAX_LEN];
	bool number;
};

struct gadget_columns {
	struct gadget_events events;
	struct gadget_column columns[COLUMNS_MAX];
	size_t n;
	struct text cell;
};

static void gadget_columns_deinit(struct gadget_columns *reader)
{
	gadget_events_deinit(&reader->events);
	text_deinit(&reader->cell);
}

/* ---- heads ---- */

static bool is_stack(struct scan word)
{
	return scan_ends(word, ".ADDRESSES") || scan_ends(word, ".BUILDID") ||
	       scan_ends(word, ".SYMBOLS") || scan_equals(word, "KSTACK") ||
	       scan_equals(word, "KERN_STACK");
}

static bool is_number(struct scan word)
{
	return scan_equals(word, "PID") || scan_equals(word, "TID") ||
	       scan_equals(word, "SAMPLES") || scan_ends(word, ".PID") || scan_ends(word, ".TID") ||
	       scan_ends(word, "MNTNS_ID") || scan_ends(word, "MNTNSID") ||
	       scan_ends(word, ".TGID_LEVEL0");
}

static size_t count_characters(const char *at, const char *end)
{
	size_t n = 0;

	for (; at < end; at++)
		n += ((unsigned char)*at & 0xc0) != 0x80;
	return n;
}

static struct scan cut_screen(struct scan s)
{
	(void)scan_literal(&s, clear_screen);
	return s;
}

/* A column by its name, WORD, in the line from START on; false: it is none. */
static bool parse_column(const char *start, struct scan word, struct gadget_column *ret)
{
	if (!isupper((unsigned char)*word.at) || scan_left(&word) >= NAME_MAX_LEN)
		return false;
	*ret = (struct gadget_column){.start = count_characters(start, word.at),
		.end = count_characters(start, word.end),
		.number = is_number(word)};
	for (size_t i = 0; i < scan_left(&word); i++) {
		unsigned char c = (unsigned char)word.at[i];

		if (!isupper(c) && !isdigit(c) && !strchr("._-/", c) && c < 0x80)
			return false;
		ret->name[i] = (char)tolower(c);
	}
	return true;
}

/* The columns by the line with their names; 0: it is none, no name of a stack is among them. */
static size_t parse_head(struct scan s, struct gadget_column *columns)
{
	struct scan word;
	size_t n = 0;
	bool any = false;

	s = cut_screen(s);
	const char *start = s.at;
	for (scan_blanks(&s); scan_word(&s, &word); scan_blanks(&s)) {
		if (n == COLUMNS_MAX || !parse_column(start, word, &columns[n++]))
			return 0;
		any |= is_stack(word);
	}
	return any ? n : 0;
}

bool gadget_columns_start(struct source *source)
{
	struct gadget_column columns[COLUMNS_MAX];
	size_t len = 0;

	if (!source_has(source) ||
		(!isupper((unsigned char)*source->at) && *source->at != *clear_screen))
		return false;
	while (len < HEAD_MAX && source_has_bytes(source, len + 1) && source->at[len] != '\n') {
		if (islower((unsigned char)source->at[len]))
			return false;
		len++;
	}
	len -= len && source->at[len - 1] == '\r';
	return len && parse_head((struct scan){source->at, source->at + len}, columns);
}

/* ---- rows ---- */

/* Where character N of the line is. */
static const char *at_character(struct scan line, size_t n)
{
	const char *at = line.at;

	while (at < line.end && n--)
		for (at++; at < line.end && ((unsigned char)*at & 0xc0) == 0x80;)
			at++;
	return at;
}

/* A number ends where its column's name ends, or starts where that does. */
static struct scan number_cell(struct scan line, const struct gadget_column *column)
{
	struct scan cell = {at_character(line, column->start), at_character(line, column->end)};

	while (cell.at > line.at && cell.at[-1] != ' ' && cell.at < cell.end && *cell.at != ' ')
		cell.at--;
	while (cell.end < line.end && *cell.end != ' ' && cell.end > cell.at && cell.end[-1] != ' ')
		cell.end++;
	return cell;
}

static struct scan cut_blanks(struct scan s)
{
	scan_blanks(&s);
	scan_cut_end(&s, ' ');
	return s;
}

static struct scan cell_of(
	const struct gadget_columns *reader, struct scan line, const struct gadget_column *column)
{
	const struct gadget_column *next = column + 1;
	struct scan cell;

	if (column->number)
		return cut_blanks(number_cell(line, column));
	cell = (struct scan){at_character(line, column->start), line.end};
	if (next < reader->columns + reader->n)
		cell.end =
			next->number ? number_cell(line, next).at : at_character(line, next->start);
	if (cell.end < cell.at)
		cell.end = cell.at; /* rows of other columns than the head's */
	return cut_blanks(cell);
}

/* strconv.Quote() has put backslashes before these. */
static struct scan unquote(struct gadget_columns *reader, struct scan s)
{
	text_clear(&reader->cell);
	text_reserve(&reader->cell, 1);
	for (; scan_left(&s); s.at++) {
		if (scan_left(&s) > 1 && *s.at == '\\' && strchr("\"\\", s.at[1]))
			s.at++;
		text_add_char(&reader->cell, *s.at);
	}
	return text_scan(&reader->cell);
}

static struct error *read_row(struct gadget_columns *reader, struct scan row, const char *position)
{
	for (size_t i = 0; i < reader->n; i++) {
		const struct gadget_column *column = &reader->columns[i];

		gadget_field(&reader->events,
			(struct scan){column->name, column->name + strlen(column->name)},
			unquote(reader, cell_of(reader, row, column)), true);
	}
	return gadget_event_end(&reader->events, position);
}

static struct error *read_line(struct gadget_columns *reader, const struct source_line *line)
{
	struct gadget_column columns[COLUMNS_MAX];
	struct scan s = source_line_text(line);
	size_t n = parse_head(s, columns);

	if (n) {
		memcpy(reader->columns, columns, n * sizeof(*columns));
		reader->n = n;
	}
	s = cut_screen(s);
	if (n || !scan_left(&s))
		return NULL;
	auto_free char *position = source_position(reader->events.dump->source, line->number);
	return read_row(reader, s, position);
}

struct error *gadget_columns_read(struct dump *dump, const struct input_options *options)
{
	scope_guard(gadget_columns_deinit) struct gadget_columns reader = {};
	struct source_line line;

	try(dump_goes_live(dump));
	collector_samples_count(dump->collector);
	try(gadget_events_init(&reader.events, dump, options));
	/* Lines that are too long are in the log. */
	while (source_line(dump->source, &line))
		if (!line.skipped)
			try(read_line(&reader, &line));
	gadget_events_report(&reader.events);
	return NULL;
}
