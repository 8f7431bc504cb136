// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>

#include "input/bpftool/event_pipe.h"
#include "input/bpftool/text.h"
#include "input/lists/portable.h"
#include "input/text/bpftrace.h"
#include "input/text/bpftrace_key.h"
#include "util/cleanup.h"
#include "util/text.h"

enum { KEY_MAX = 16 << 20 /* bytes */ };

struct bpftrace_text {
	struct bpftrace bpftrace;
	struct text key;       /* of the current entry; its lines are separated by newlines */
	uint64_t printed_line; /* line number of the first frame printed by printf() */
};

static void bpftrace_text_deinit(struct bpftrace_text *text)
{
	bpftrace_deinit(&text->bpftrace);
	text_deinit(&text->key);
}

/* ---- maps ---- */

/* Consumes the `@name` of a map. */
static bool scan_map_name(struct scan *s, struct scan *ret)
{
	ret->at = s->at;
	if (!scan_char(s, '@'))
		return false;
	while (scan_left(s) && (isalnum((unsigned char)*s->at) || *s->at == '_'))
		s->at++;
	ret->end = s->at;
	return true;
}

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
 * Reads a key, whose first line is S after the bracket, and the value after it. Returns false if
 * something else interrupts the key, or if it is too long.
 */
static bool read_key(struct bpftrace_text *text, struct scan s, struct scan *value_ret)
{
	struct source *source = text->bpftrace.dump->source;
	const char *end = find_end(s);
	struct source_line line;

	text_clear(&text->key);
	while (!end) {
		text_add_scan(&text->key, s);
		text_add_char(&text->key, '\n');
		if (!source_line(source, &line) || line.skipped)
			return false;
		if (!line.len || *line.at == '@' || text->key.len > KEY_MAX) {
			source_line_back(source, &line);
			return false;
		}
		s = source_line_text(&line);
		end = *s.at == ',' || *s.at == ']' ? find_end(s) : NULL;
	}
	text_add_scan(&text->key, (struct scan){s.at, end});
	*value_ret = scan_trimmed((struct scan){end + 2, s.end});
	return true;
}

/* Reads the entry that begins with LINE, line NUMBER of the source. */
static struct error *read_entry(struct bpftrace_text *text, struct scan line, uint64_t number)
{
	struct bpftrace *bpftrace = &text->bpftrace;
	auto_free char *position = source_position(bpftrace->dump->source, number);
	struct scan name, value = {};
	uint64_t weight;

	/* a map without a key is a single value */
	if (!scan_map_name(&line, &name) || !scan_char(&line, '['))
		return NULL;
	bpftrace_map(bpftrace, name);
	bool whole = read_key(text, line, &value);
	whole = bpftrace_key(bpftrace, text_scan(&text->key), false) && whole;
	bool counts = scan_all_decimal(value, &weight) && weight <= INT64_MAX;
	return bpftrace_entry(bpftrace, whole, counts ? &weight : NULL, position);
}

/* ---- lines ---- */

static struct error *end_printed(struct bpftrace_text *text)
{
	if (!text->bpftrace.n)
		return NULL;
	auto_free char *position = source_position(text->bpftrace.dump->source, text->printed_line);

	return bpftrace_printed_end(&text->bpftrace, position);
}

/* Returns true if LINE starts a dump within the output of a bpftrace program. */
static bool is_other(struct tool_blocks *blocks, struct scan line)
{
	return bpftool_text_starts(line) || event_pipe_starts(line) ||
	       portable_starts(line.at, scan_left(&line)) || blocks_start(blocks, TOOL_PERF, line);
}

/*
 * Reads LINE. Stacks of printf() end at the first other line, but after one empty line a second
 * stack may follow. Returns false if something else begins here.
 */
static bool take_line(
	struct bpftrace_text *text, const struct source_line *line, struct error **error_ret)
{
	struct bpftrace *bpftrace = &text->bpftrace;

	if (!bpftrace->n)
		text->printed_line = line->number;
	if (bpftrace_printed_line(bpftrace, source_line_text(line)))
		return true;
	if (!line->len && bpftrace->n == 1 && bpftrace->in_stack) {
		bpftrace->in_stack = false;
		return true;
	}
	*error_ret = end_printed(text);
	if (*error_ret || !line->len)
		return true;
	if (is_other(bpftrace->blocks, source_line_text(line)))
		return false;
	*error_ret = read_entry(text, source_line_text(line), line->number);
	return true;
}

struct error *bpftrace_text_read(
	struct dump *dump, const struct input_options *options, struct tool_blocks *blocks)
{
	scope_guard(bpftrace_text_deinit) struct bpftrace_text text = {};
	struct source_line line;
	struct error *error = NULL;

	try(dump_goes_live(dump));
	try(bpftrace_init(&text.bpftrace, dump, options, blocks));
	while (source_line(dump->source, &line)) {
		bool taken = take_line(&text, &line, &error);

		try(error);
		if (!taken) {
			source_line_back(dump->source, &line);
			break;
		}
	}
	try(end_printed(&text));
	return bpftrace_end(&text.bpftrace);
}
