// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/memleak_text.h"

#include <inttypes.h>

#include "input/text/text_stack.h"
#include "util/cleanup.h"
#include "util/text.h"

enum { LIST_MAX = 64 << 20 /* bytes */ };

struct memleak_text {
	struct dump *dump;
	const struct input_options *options;
	struct text_stack stack;
	struct text list; /* the lines of the last list */
	uint64_t lists;
	bool cut; /* it is longer than LIST_MAX */
};

static void memleak_text_deinit(struct memleak_text *text)
{
	text_stack_deinit(&text->stack);
	text_deinit(&text->list);
}

/* `[14:05:02] Top 10 stacks with outstanding allocations:` */
static bool is_list(struct scan line)
{
	return scan_starts(line, "[") && scan_ends(line, " stacks with outstanding allocations:");
}

/* `4096 bytes in 2 allocations from stack` */
static bool is_allocation(struct scan line, uint64_t *bytes)
{
	line = scan_trimmed(line);
	return scan_decimal(&line, bytes) && scan_literal(&line, " bytes in ") &&
	       scan_ends(line, " allocations from stack");
}

bool memleak_text_starts(struct scan line)
{
	uint64_t bytes;

	return is_list(line) || is_allocation(line, &bytes) ||
	       scan_starts(line, "Tracing outstanding memory allocs") ||
	       scan_starts(line, "Attaching to pid ") ||
	       scan_starts(line, "using default object: ") ||
	       scan_starts(line, "using page size: ") || scan_starts(line, "tracing kernel: ");
}

/* ---- frames ---- */

/* `main+0x9`, perhaps with `/a/chain.c:12` behind it */
static void parse_name(struct scan s, struct tool_frame *frame)
{
	const char *plus = scan_find(s, "+0x");
	struct scan offset = {plus ? plus + 1 : s.end, s.end};

	if (scan_starts(s, "<") || scan_equals(s, "[unknown]"))
		return;
	frame->has_offset = scan_prefixed_hex(&offset, &frame->offset);
	frame->name = (struct scan){s.at, frame->has_offset ? plus : s.end};
}

/* `3 [<000055d0c8a0b139>] main+0x9 [/usr/bin/chain]`, or from the name on */
static struct tool_frame parse_frame(struct scan s)
{
	struct tool_frame frame = {};
	struct scan at = s, object;
	uint64_t number;

	if (scan_decimal(&at, &number) && scan_literal(&at, " [<") &&
		scan_hex(&at, &frame.address) && scan_literal(&at, ">]")) {
		frame.has_address = true;
		s = scan_trimmed(at);
	}
	at = s;
	if (scan_ends(s, "]") && !scan_equals(s, "[unknown]") && scan_cut_last(&at, '[', &object)) {
		frame.object = (struct scan){object.at, object.end - 1};
		s = scan_trimmed(at);
	}
	parse_name(s, &frame);
	return frame;
}

static void add_frame(struct memleak_text *text, struct scan s)
{
	struct tool_frame frame = parse_frame(s);
	bool kernel = scan_equals(frame.object, "kernel") ||
		      (frame.has_address && address_side_in(&text->options->halves,
						    frame.address) == SIDE_KERNEL);

	text_stack_add(&text->stack, &frame, kernel);
}

/* ---- lists ---- */

static struct error *give(struct memleak_text *text, uint64_t bytes)
{
	struct sample sample = {.pid = text->options->pid,
		.tid = -1,
		.weight = bytes,
		.position = text->dump->source->name};

	return bytes && bytes <= INT64_MAX ? text_stack_give(&text->stack, text->dump, &sample)
					   : NULL;
}

/* Each list has all that is allocated at its time: the last one counts. */
static struct error *give_list(struct memleak_text *text)
{
	struct scan rest = text_scan(&text->list), line;
	uint64_t bytes = 0, next;

	if (text->lists > 1)
		log_add(text->dump->log, LOG_WARNING, 1,
			"%s: of %" PRIu64
			" lists of allocations the last one counts: each has all of its time",
			text->dump->source->name, text->lists);
	if (text->cut)
		dump_warn(text->dump, "%s: the list of allocations is longer than %d MiB",
			text->dump->source->name, LIST_MAX >> 20);
	while (scan_line(&rest, &line)) {
		line = scan_trimmed(line);
		if (is_allocation(line, &next)) {
			try(give(text, bytes));
			text_stack_clear(&text->stack);
			bytes = next;
		} else if (!scan_starts(line, "addr = ") &&
			   !scan_equals(line, "stack information lost")) {
			add_frame(text, line);
		}
	}
	return give(text, bytes);
}

static void keep_line(struct memleak_text *text, struct scan line)
{
	if (is_list(line)) {
		text->lists++;
		text->cut = false;
		text_clear(&text->list);
	} else if (text->list.len > LIST_MAX) {
		text->cut = true;
	} else if (text->lists && scan_left(&line)) {
		text_add_scan(&text->list, line);
		text_add_char(&text->list, '\n');
	}
}

struct error *memleak_text_read(struct dump *dump, const struct input_options *options)
{
	scope_guard(memleak_text_deinit) struct memleak_text text = {
		.dump = dump, .options = options, .stack = {.source = SOURCE_BCC}};
	struct source_line line;

	try(dump_goes_live(dump));
	collector_samples_count(dump->collector);
	while (source_line(dump->source, &line)) {
		struct scan s = source_line_text(&line);

		if (line.skipped)
			continue;
		if (line.len && *line.at != ' ' && *line.at != '\t' && !memleak_text_starts(s)) {
			source_line_back(dump->source, &line);
			break;
		}
		keep_line(&text, s);
	}
	return give_list(&text);
}
