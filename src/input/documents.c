// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/documents.h"

#include <inttypes.h>

#include "input/bpftool/bpftool.h"
#include "input/lists/lines.h"
#include "input/lists/samples.h"
#include "input/text/block_reader.h"
#include "input/text/blocks.h"
#include "input/text/bpftrace.h"
#include "input/text/gadget.h"
#include "input/text/patterns.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/vec.h"

enum { LOOK_MAX = 256 /* bytes of a line that are examined */ };

/* ---- looking ---- */

static void skip_empty_lines(struct source *source)
{
	/* a byte order mark, left by an editor */
	if (source_offset(source) == 0 && source_has(source) &&
		(unsigned char)*source->at == 0xef && source_has_bytes(source, 3) &&
		!memcmp(source->at, "\xef\xbb\xbf", 3))
		source->at += 3;
	/* keep blanks before text: lines are passed on unchanged */
	for (size_t blanks = 0; source_has_bytes(source, blanks + 1) && blanks < LOOK_MAX;) {
		const char *at = source->at + blanks;

		if (*at == ' ' || *at == '\t' || *at == '\r') {
			blanks++;
		} else if (*at == '\n') {
			source->at = at + 1;
			blanks = 0;
		} else {
			break;
		}
	}
}

/* Returns the first line, at most LOOK_MAX bytes. Reads no further than that line. */
static struct scan look_ahead(struct source *source)
{
	size_t len = 0;

	while (len < LOOK_MAX && source_has_bytes(source, len + 1) && source->at[len] != '\n')
		len++;
	return (struct scan){source->at, source->at + len};
}

/* Returns the index of the first byte from AT on that is no white space, at most LOOK_MAX. */
static size_t skip_white(struct source *source, size_t at)
{
	while (at < LOOK_MAX && source_has_bytes(source, at + 1) &&
		memchr(" \t\r\n", source->at[at], 4))
		at++;
	return at;
}

static bool has_at(struct source *source, size_t at, const char *text)
{
	size_t len = strlen(text);

	return source_has_bytes(source, at + len) && !memcmp(source->at + at, text, len);
}

/* Returns true if JSON starts at AT. Table lines and folded stacks may start with a bracket too. */
static bool is_json(struct source *source, size_t at)
{
	if (!has_at(source, at, "[") && !has_at(source, at, "{"))
		return false;
	char first = source->at[at];
	at = skip_white(source, at + 1);
	if (at == LOOK_MAX || !source_has_bytes(source, at + 1))
		return true;
	if (first == '{')
		return source->at[at] == '"' || source->at[at] == '}';
	/* in maps with BTF, bpftool prints "key:" for an element that has vanished */
	return source->at[at] == '{' || source->at[at] == ']' || has_at(source, at, "key:");
}

/* First bytes of other tools' files, and what to do with such a file. */
static const struct {
	const char *magic;
	const char *advice;
} binaries[] = {
	{"\177ELF", "an ELF file, not a dump: use -e to look up addresses in it"},
	{"\x1f\x8b", "compressed: pipe it through zcat"},
	{"(\xb5/\xfd", "compressed: pipe it through zstdcat"},
	{"\3757zXZ", "compressed: pipe it through xzcat"},
	{"PERFILE2", "perf data: pipe it through `perf script`"},
	{"\xff\xfe", "UTF-16: convert it with iconv"},
	{"\xfe\xff", "UTF-16: convert it with iconv"},
};

/* Returns advice for a known kind of unreadable data, or NULL. */
static const char *advice_for(struct tool_blocks *blocks, struct scan line)
{
	array_each(binary, binaries, array_len(binaries))
		if (scan_starts(line, binary->magic))
			return binary->advice;
	return blocks_start(blocks, TOOL_BARE_PERF, line)
		       ? "frames of perf script without a header of comm, thread and time: run "
			 "perf script -F comm,pid,tid,time,event,ip,sym,symoff,dso"
		       : NULL;
}

static bool is_binary(struct tool_blocks *blocks, struct scan line)
{
	size_t odd = 0, len = scan_left(&line);

	if (advice_for(blocks, line))
		return true;
	array_each(c, (const unsigned char *)line.at, len) {
		if (!*c)
			return true;
		odd += (*c < 0x20 && !memchr("\t\r\n\f\v\033", *c, 6)) || *c == 0x7f;
	}
	return odd * 8 > len;
}

/*
 * Returns true if LINE has only hex numbers and blanks. Long lists of them need not be compared
 * with the other formats, which never have such lines.
 */
static bool is_numbers(struct scan line)
{
	while (scan_left(&line) &&
		(scan_hex_digit(*line.at) >= 0 || *line.at == 'x' || *line.at == ' '))
		line.at++;
	return !scan_left(&line);
}

static enum document_kind look_at_line(struct tool_blocks *blocks, struct scan line)
{
	size_t len = scan_left(&line);

	if (portable_starts(line) || (len && *line.at != ' ' && is_numbers(line)))
		return DOCUMENT_LINES;
	if (is_binary(blocks, line))
		return DOCUMENT_BINARY;
	enum listing_kind listing = listing_starts(line);
	if (listing != LISTING_NONE && listing != LISTING_MAPS)
		return DOCUMENT_LISTING;
	if (bpftool_text_starts(line))
		return DOCUMENT_TEXT;
	if (event_pipe_starts(line))
		return DOCUMENT_EVENTS;
	if (blocks_start(blocks, TOOL_PERF, line))
		return DOCUMENT_PERF;
	if (blocks_start(blocks, TOOL_BPFTRACE, line))
		return DOCUMENT_BPFTRACE;
	if (scan_starts(line, "null") && (len == 4 || line.at[4] == '\r'))
		return DOCUMENT_NULL;
	if (scan_starts(line, "Error: "))
		return DOCUMENT_FAILED;
	if (blocks_start(blocks, TOOL_BCC, line))
		return DOCUMENT_BCC;
	if (blocks_start(blocks, TOOL_MEMLEAK, line))
		return DOCUMENT_MEMLEAK;
	if (blocks_start(blocks, TOOL_FOLDED, line))
		return DOCUMENT_FOLDED;
	return DOCUMENT_LINES;
}

/* Skips empty lines and recognizes the next document, without reading more than necessary. */
static enum document_kind look(struct tool_blocks *blocks, struct source *source)
{
	skip_empty_lines(source);
	if (!source_has(source))
		return DOCUMENT_NONE;
	size_t blanks = 0;
	while (blanks < LOOK_MAX && source_has_bytes(source, blanks + 1) &&
		(source->at[blanks] == ' ' || source->at[blanks] == '\t'))
		blanks++;
	if (bpftrace_json_starts(source, blanks))
		return DOCUMENT_BPFTRACE_JSON;
	if (gadget_json_starts(source, blanks))
		return DOCUMENT_GADGET_JSON;
	if (gadget_text_starts(source, blocks))
		return DOCUMENT_GADGET_TEXT;
	if (is_json(source, blanks)) {
		/* our own --json output has "schema" as its first member */
		bool ours = has_at(source, blanks, "{") &&
			    has_at(source, skip_white(source, blanks + 1), "\"schema\"");

		return ours ? DOCUMENT_SAMPLES : DOCUMENT_JSON;
	}
	struct scan line = look_ahead(source);
	size_t len = scan_left(&line);
	/* in a listing the next line is indented; in a dump of several maps it is not */
	if (listing_starts(line) == LISTING_MAPS && source_has_bytes(source, len + 2) &&
		source->at[len] == '\n' && source->at[len + 1] == '\t')
		return DOCUMENT_LISTING;
	return look_at_line(blocks, (struct scan){source->at, source->at + len});
}

/* ---- reading ---- */

/* Skips unreadable data with a warning. ADVICE says what to do instead; NULL: unknown data. */
static void report_unread(struct dump *dump, const char *advice)
{
	struct source *source = dump->source;

	dump_warn(dump, "%s: byte %" PRIu64 ": skipped from here: %s", source->name,
		source_offset(source),
		advice ?: "binary data: expected the text that bpftool prints");
	collector_no_counts(dump->collector, source->name, dump->role);
	source_leave(source); /* it may be endless, like /dev/zero */
}

static void report_failed(struct dump *dump)
{
	auto_text struct text text = {};
	struct source_line line;

	if (source_line(dump->source, &line)) {
		text_add_escaped(&text, line.at, line.len);
		auto_free char *position = source_position(dump->source, line.number);

		dump_failed(dump, position, text.data ?: "");
	}
}

static void read_null(struct dump *dump)
{
	bool ends = !dump->in_queue; /* reading an empty queue prints null too */

	if (ends)
		dump_map_begin(dump, dump->source->name, false);
	collector_entry_error(dump->collector, "Not found");
	if (ends)
		collector_map_end(dump->collector, false);
	source_skip_line(dump->source);
}

static bool at_empty_line(struct source *source)
{
	return source_has(source) &&
	       (*source->at == '\n' || (*source->at == '\r' && source_has_bytes(source, 2) &&
					       source->at[1] == '\n'));
}

/* Reads lines, including empty ones: a client of addr2line may expect one answer for each. */
static struct error *read_lines(
	struct dump *dump, struct tool_blocks *blocks, struct line_reader *lines)
{
	struct source_line line;

	try(dump_goes_live(dump));
	do {
		if (!source_line(dump->source, &line))
			break;
		if (line.skipped)
			continue;
		auto_free char *position = source_position(dump->source, line.number);
		if (portable_starts(source_line_text(&line))) {
			try(line_reader_end(lines));
			try(portable_line(dump->collector, dump->log, &dump->options->boot, line.at,
				line.len, position));
		} else {
			try(line_reader_line(lines, line.at, line.len, position));
		}
	} while (at_empty_line(dump->source) || look(blocks, dump->source) == DOCUMENT_LINES);
	return line_reader_end(lines);
}

/* Skips to the next line at whose first column a dump starts. */
static void find_dump(struct tool_blocks *blocks, struct dump *dump)
{
	struct source *source = dump->source;

	dump->desynced = false;
	for (; source_has(source); source_skip_line(source)) {
		if (!source_at_line_start(source))
			continue;
		enum document_kind kind = look_at_line(blocks, look_ahead(source));
		if (kind == DOCUMENT_TEXT || kind == DOCUMENT_EVENTS || is_json(source, 0))
			return;
	}
}

/* Reads the document of KIND at the source's `at`. */
static struct error *read_document(struct dump *dump, enum document_kind kind,
	struct tool_blocks *blocks, struct block_reader *reader, struct line_reader *lines)
{
	if ((kind == DOCUMENT_BPFTRACE_JSON || kind == DOCUMENT_GADGET_JSON) && patterns_missing())
		return error_create(ERROR_INPUT, "%s: %s", dump->source->name, patterns_missing());
	switch (kind) {
	case DOCUMENT_NONE:
		break;
	case DOCUMENT_JSON:
		return bpftool_json_read(dump);
	case DOCUMENT_SAMPLES:
		return json_samples_read(dump);
	case DOCUMENT_TEXT:
		bpftool_text_read(dump);
		break;
	case DOCUMENT_EVENTS:
		return event_pipe_read(dump);
	case DOCUMENT_BPFTRACE:
		return bpftrace_text_read(dump, dump->options, blocks);
	case DOCUMENT_BPFTRACE_JSON:
		return bpftrace_json_read(dump, dump->options, blocks);
	case DOCUMENT_GADGET_JSON:
		return gadget_json_read(dump, dump->options, blocks);
	case DOCUMENT_PERF:
		return block_reader_read(reader, TOOL_PERF);
	case DOCUMENT_BCC:
		return block_reader_read(reader, TOOL_BCC);
	case DOCUMENT_MEMLEAK:
		return block_reader_read(reader, TOOL_MEMLEAK);
	case DOCUMENT_FOLDED:
		return block_reader_read(reader, TOOL_FOLDED);
	case DOCUMENT_LISTING:
		listing_read(dump);
		break;
	case DOCUMENT_NULL:
		read_null(dump);
		break;
	case DOCUMENT_FAILED:
		report_failed(dump);
		break;
	case DOCUMENT_GADGET_TEXT:
		report_unread(dump, "columns or YAML of Inspektor Gadget: run it with -o json");
		break;
	case DOCUMENT_BINARY:
		report_unread(dump, advice_for(blocks, look_ahead(dump->source)));
		break;
	case DOCUMENT_LINES:
		return read_lines(dump, blocks, lines);
	}
	return NULL;
}

struct error *documents_read(struct dump *dump)
{
	const struct input_options *options = dump->options;
	scope_guard(line_reader_cleanup) struct line_reader *lines = NULL;
	scope_guard(blocks_cleanup) struct tool_blocks *blocks = blocks_create();
	scope_guard(block_reader_cleanup) struct block_reader *reader = NULL;

	try(line_reader_create(options, dump->log, dump->collector, &lines));
	try(block_reader_create(dump, options, blocks, &reader));
	for (;;) {
		bool asked = options->bare != INPUT_BARE_NOTHING && at_empty_line(dump->source);
		enum document_kind kind = asked ? DOCUMENT_LINES : look(blocks, dump->source);
		uint64_t start = source_offset(dump->source);

		/* what bpftool prints for a queue: an entry, null if it is empty, or an error */
		bool may_be_of_queue = kind == DOCUMENT_JSON || kind == DOCUMENT_TEXT ||
				       kind == DOCUMENT_NULL || kind == DOCUMENT_FAILED;
		if (!may_be_of_queue)
			dump_queue_end(dump);
		if (kind == DOCUMENT_NONE)
			break;
		try(read_document(dump, kind, blocks, reader, lines));
		/* nothing was read: it only began like KIND, so read it as lines */
		if (source_has(dump->source) && source_offset(dump->source) == start)
			try(read_lines(dump, blocks, lines));
		if (dump->desynced)
			find_dump(blocks, dump);
	}
	block_reader_end(reader);
	if (dump->warnings > DUMP_WARNINGS_MAX)
		log_add(dump->log, LOG_WARNING, dump->warnings - DUMP_WARNINGS_MAX,
			"%s: more of this kind", dump->source->name);
	return take(dump->source->failure);
}
