// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/bpftool/bpftool.h"

#include <inttypes.h>

#include "input/bpftool/hex_rows.h"
#include "util/cleanup.h"
#include "util/text.h"

struct event_pipe_reader {
	struct dump *dump;
	bool open;     /* a header was read, but its event not passed on yet */
	bool wrong;    /* the event has a word that is not a hex byte */
	uint64_t time; /* ns */
	uint64_t line; /* line number of the header */
	struct text data;
};

static void reader_cleanup(struct event_pipe_reader *reader)
{
	text_deinit(&reader->data);
}

/* Reads the header line "== @588.718687085 CPU: 1 index: 1 =====". */
static bool scan_head(struct scan scan, uint64_t *time_ret)
{
	uint64_t seconds, ns, ignored;

	if (!scan_literal(&scan, "== @") || !scan_decimal(&scan, &seconds) ||
		!scan_char(&scan, '.') || !scan_decimal(&scan, &ns) ||
		!scan_literal(&scan, " CPU: ") || !scan_decimal(&scan, &ignored))
		return false;
	*time_ret = seconds * 1000000000 + ns;
	return true;
}

/* Reads "lost 7 events". */
static bool scan_lost(struct scan scan, uint64_t *ret)
{
	return scan_literal(&scan, "lost ") && scan_decimal(&scan, ret) &&
	       scan_literal(&scan, " events");
}

bool event_pipe_starts(struct scan line)
{
	uint64_t ignored;

	return scan_head(line, &ignored) || scan_lost(line, &ignored) ||
	       scan_starts(line, "unknown event type=");
}

static struct error *event_end(struct event_pipe_reader *reader)
{
	struct dump *dump = reader->dump;

	if (!reader->open)
		return NULL;
	reader->open = false;
	if (reader->wrong) {
		dump_warn(dump,
			"%s:%" PRIu64 ": event skipped: not all of its words are hex "
			"bytes",
			dump->source->name, reader->line);
		return NULL;
	}
	auto_free char *position = source_position(dump->source, reader->line);
	return collector_event(dump->collector,
		(const uint8_t *)(reader->data.len ? reader->data.data : ""), reader->data.len,
		reader->time, position);
}

struct error *event_pipe_read(struct dump *dump)
{
	scope_guard(reader_cleanup) struct event_pipe_reader reader = {.dump = dump};
	struct source_line line;
	uint64_t number;

	try(dump_goes_live(dump));
	for (;;) {
		if (reader.open && !reader.wrong)
			(void)hex_rows_take(dump->source, &reader.data);
		if (!source_line(dump->source, &line))
			break;
		struct scan text = source_line_text(&line);
		size_t had = reader.data.len;
		if (scan_head(text, &number)) {
			try(event_end(&reader));
			text_clear(&reader.data);
			reader.open = !line.cut;
			reader.wrong = false;
			reader.time = number;
			reader.line = line.number;
			dump->used++;
		} else if (scan_lost(text, &number)) {
			struct error *error = event_end(&reader);
			collector_lost_events(dump->collector, number);
			dump->used++;
			try(error);
		} else if (reader.open) {
			if (!hex_row_bytes(&text, &reader.data) || scan_left(&text))
				reader.wrong = true;
			if (line.cut) /* the row may be incomplete, even if it looks complete */
				reader.open = false;
			if (reader.data.len - had < HEX_ROW_BYTES)
				try(event_end(&reader));
		} else if (line.len && !event_pipe_starts(text)) {
			source_line_back(dump->source, &line);
			break;
		}
	}
	return event_end(&reader);
}
