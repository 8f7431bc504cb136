// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/bcc_text.h"

#include <inttypes.h>
#include <string.h>

#include "input/text/text_stack.h"
#include "util/cleanup.h"
#include "util/text.h"

enum {
	INDENT = 4, /* blanks before frames; values have twice as many */
	COMM_MAX = 15,
	ADDRESS_DIGITS_MIN = 5, /* of one without 0x */
	WAKEUP_DIGITS = 16,	/* of wakeuptime's addresses */
};

struct bcc_text {
	struct dump *dump;
	const struct input_options *options;
	struct text_stack stack;
	struct VEC(struct tool_frame) frames; /* of the entry that is read: leaf first */
	struct arena memory;		      /* what they point to */
	size_t delimiter;		      /* frames before `--`; SIZE_MAX: there is none */
	bool too_many;
	struct text target;	/* of wakeuptime: who was woken */
	uint64_t odd, odd_line; /* lines that are not understood, and the first's number */
};

static void bcc_text_deinit(struct bcc_text *text)
{
	text_stack_deinit(&text->stack);
	vec_deinit(&text->frames);
	arena_deinit(&text->memory);
	text_deinit(&text->target);
}

static void clear(struct bcc_text *text)
{
	text->frames.len = 0;
	text->delimiter = SIZE_MAX;
	text->too_many = false;
	arena_clear(&text->memory);
}

/* ---- frames ---- */

static bool is_missed(struct scan s)
{
	return scan_starts(s, "[Missed ") || scan_starts(s, "[Lost ");
}

/* `0x40418e `, or `ffffffff814b840d ` of wakeuptime */
static bool scan_address(struct scan *s, uint64_t *ret)
{
	struct scan at = *s;

	if (!scan_prefixed_hex(&at, ret) && (!scan_hex(&at, ret) || at.at - s->at != WAKEUP_DIGITS))
		return false;
	if (scan_left(&at) && *at.at != ' ')
		return false;
	scan_blanks(&at);
	*s = at;
	return true;
}

/* `#10 0x40418e main+0x9 (/usr/bin/chain+0x1142)`, `0x40418e`, `main+0x9`, `main`, `[unknown]` */
static struct tool_frame parse_frame(struct scan s)
{
	struct tool_frame frame = {};
	struct scan before;
	uint64_t number;

	if (scan_char(&s, '#')) {
		(void)scan_decimal(&s, &number);
		scan_blanks(&s);
	}
	frame.has_address = scan_address(&s, &frame.address);
	if (frame.has_address && text_last_parentheses(s, &before, &frame.object)) {
		/* An offset beside a path that is the address, as of a program that is not moved, adds nothing. */
		frame.has_file_offset = text_cut_offset(&frame.object, true, &frame.file_offset) &&
					frame.file_offset != frame.address;
		s = before;
	}
	if (!scan_left(&s) || scan_equals(s, "[unknown]") ||
		(frame.has_address && scan_equals(s, "Unknown")))
		return frame;
	frame.name = s;
	frame.has_offset = text_cut_offset(&frame.name, true, &frame.offset);
	return frame;
}

static void add_frame(struct bcc_text *text, struct scan s)
{
	if (text->frames.len == TEXT_STACK_FRAMES_MAX) {
		text->too_many = true;
		return;
	}
	const char *copy = arena_copy(&text->memory, s.at, scan_left(&s));
	vec_push(&text->frames, parse_frame((struct scan){copy, copy + scan_left(&s)}));
}

/* How many frames from the leaf on are the kernel's. */
static size_t count_kernel(const struct bcc_text *text)
{
	if (text->delimiter != SIZE_MAX)
		return text->delimiter;
	for (size_t i = text->frames.len; i-- > 0;) {
		const struct tool_frame *frame = &text->frames.data[i];
		enum address_side side =
			frame->has_address ? address_side_in(&text->options->halves, frame->address)
					   : tool_side_of_name(frame->name);

		if (side == SIDE_KERNEL)
			return i + 1;
	}
	return 0;
}

static struct error *give(struct bcc_text *text, struct sample *sample)
{
	size_t kernel = count_kernel(text);
	bool known = tool_process_is_known(text->options, sample->pid);

	if (text->too_many)
		dump_warn(text->dump, "%s: a stack of more than %d frames: the rest is left out",
			sample->position, TEXT_STACK_FRAMES_MAX);
	text_stack_clear(&text->stack);
	for (size_t i = 0; i < text->frames.len; i++) {
		struct tool_frame *frame = &text->frames.data[i];

		if (known && frame->has_address && !scan_left(&frame->name))
			frame->has_file_offset = false;
		text_stack_add(&text->stack, frame, i < kernel);
	}
	return text_stack_give(&text->stack, text->dump, sample);
}

/* ---- bcc and libbpf-tools ---- */

/* `-                chain (16607)`, without what is before it. */
static bool parse_owner(struct scan s, struct scan *comm, uint64_t *number)
{
	struct scan inside;

	if (!scan_literal(&s, "- "))
		return false;
	scan_blanks(&s);
	return text_last_parentheses(s, comm, &inside) && scan_all_decimal(inside, number) &&
	       *number <= INT32_MAX;
}

static bool is_name(struct scan s)
{
	bool letters = false;

	for (const char *at = s.at; at < s.end; at++) {
		char c = *at | 0x20;

		if (!((c >= 'a' && c <= 'z') || (*at >= '0' && *at <= '9') || *at == '_' ||
			    *at == '.'))
			return false;
		letters |= *at == '_' || (c > 'f' && c <= 'z');
	}
	return letters;
}

/* By blanks, or wakeuptime's tab. */
static bool is_indented(struct scan *s)
{
	struct scan at = *s;

	if (scan_char(s, '\t')) {
		scan_blanks(s);
		return scan_left(s);
	}
	for (size_t i = 0; i < INDENT; i++)
		if (!scan_char(&at, ' '))
			return false;
	*s = at;
	return scan_left(&at) && *at.at != ' ';
}

bool bcc_text_starts(const char *line, size_t len)
{
	struct scan s = {line, line + len}, comm;
	uint64_t number;

	if (scan_literal(&s, "Sampling at ") || scan_literal(&s, "Tracing off-CPU time ") ||
		scan_literal(&s, "Tracing blocked time (us) ") || scan_literal(&s, "\ttarget: "))
		return true;
	if (scan_starts(s, "\t") || !is_indented(&s))
		return false;
	if (scan_char(&s, '#'))
		return scan_decimal(&s, &number) && scan_starts(s, " ");
	return is_name(s) || scan_equals(s, "[unknown]") || is_missed(s) ||
	       parse_owner(s, &comm, &number);
}

static void odd_line(struct bcc_text *text, uint64_t number)
{
	if (!text->odd++)
		text->odd_line = number;
}

/* The number behind the owner, whose line is the last that was read. NUMBER: of the thread; -1: not said. */
static struct error *end_entry(
	struct bcc_text *text, struct scan comm, int64_t number, const char *position)
{
	scope_guard(text_deinit) struct text name = {};
	struct sample sample = {.pid = -1, .tid = -1, .position = position};
	struct source_line line;

	text_add_scan(&name, comm);
	if (!source_line(text->dump->source, &line))
		return NULL;
	struct scan s = source_line_text(&line);
	scan_blanks(&s);
	if (!scan_all_decimal(s, &sample.weight) || sample.weight > INT64_MAX) {
		odd_line(text, line.number);
		return NULL;
	}
	sample.comm = name.data;
	if (number >= 0)
		tool_thread(text->options, number, &sample);
	return sample.weight ? give(text, &sample) : NULL;
}

/* As its maps, wakeuptime's text has who woke whom. */
static struct error *end_wakeup(struct bcc_text *text, struct scan waker, const char *position)
{
	scope_guard(text_deinit) struct text both = {};

	text_add_scan(&both, waker);
	text_add_string(&both, " -> ");
	text_add_scan(&both, text_scan(&text->target));
	return end_entry(text, text_scan(&both), -1, position);
}

static struct error *read_line(
	struct bcc_text *text, const struct source_line *line, const char *position)
{
	struct scan s = source_line_text(line), comm;
	struct error *error = NULL;
	uint64_t number;

	if (line->skipped || !is_indented(&s)) {
		bool header = bcc_text_starts(line->at, line->len);

		if (!header && (line->skipped || line->len))
			odd_line(text, line->number);
		if (text->frames.len && !line->skipped)
			odd_line(text, line->number);
		clear(text);
	} else if (parse_owner(s, &comm, &number)) {
		error = end_entry(text, comm, (int64_t)number, position);
		clear(text);
	} else if (scan_literal(&s, "target: ")) {
		clear(text);
		text_clear(&text->target);
		text_add_scan(&text->target, scan_trimmed(s));
	} else if (scan_literal(&s, "waker: ")) {
		error = end_wakeup(text, scan_trimmed(s), position);
		clear(text);
	} else if (scan_equals(s, "--")) {
		text->delimiter = text->frames.len;
	} else if (!is_missed(s)) {
		add_frame(text, s);
	}
	return error;
}

struct error *bcc_text_read(struct dump *dump, const struct input_options *options)
{
	scope_guard(bcc_text_deinit) struct bcc_text text = {.dump = dump,
		.options = options,
		.stack = {.source = SOURCE_BCC},
		.delimiter = SIZE_MAX};
	struct source_line line;

	try(dump_goes_live(dump));
	collector_samples_count(dump->collector);
	while (source_line(dump->source, &line)) {
		if (!line.skipped && line.len && *line.at != ' ' && *line.at != '\t' &&
			!bcc_text_starts(line.at, line.len)) {
			source_line_back(dump->source, &line);
			if (text.frames.len)
				odd_line(&text, line.number);
			break;
		}
		auto_free char *position = source_position(dump->source, line.number);
		try(read_line(&text, &line, position));
	}
	if (text.odd)
		dump_warn(dump,
			"%s:%" PRIu64
			": not understood among stacks of bcc or libbpf-tools; %" PRIu64
			" such lines are skipped",
			dump->source->name, text.odd_line, text.odd);
	return NULL;
}

/* ---- folded ---- */

/* `chain;main;f 31`: STACK and the number after it. */
static bool parse_folded(struct scan s, struct scan *stack, uint64_t *weight)
{
	struct scan number;

	scan_cut_end(&s, ' ');
	if (!scan_cut_last(&s, ' ', &number) || !scan_left(&s) || !scan_all_decimal(number, weight))
		return false;
	*stack = s;
	return *weight <= INT64_MAX;
}

/* Lists of addresses may be separated so, too. */
static bool is_address(struct scan s)
{
	uint64_t number;

	return scan_find(s, "0x") ||
	       (scan_left(&s) >= ADDRESS_DIGITS_MIN && scan_all_hex(s, &number));
}

/* Of a line that is cut the number is not seen: what reads it will say so. */
bool folded_text_starts(const char *line, size_t len)
{
	struct scan s = {line, line + len}, part;
	uint64_t weight;
	bool names = false, whole = parse_folded(s, &s, &weight);

	if (!len || *line == ' ' || *line == '\t' || *line == '#' || *line == '/' || *line == '.' ||
		!memchr(line, ';', len) ||
		(!whole && (len < 256 || *line == '[' || *line == '{'))) /* perhaps JSON */
		return false;
	while (scan_left(&s)) {
		(void)scan_to(&s, ';', &part);
		names |= scan_left(&part) && !is_address(part);
	}
	return names;
}

/* The frames stand root first: the leaf is found from the end. */
static void add_folded(struct bcc_text *text, struct scan s)
{
	while (scan_left(&s)) {
		struct scan part = s;

		if (!scan_cut_last(&s, ';', &part))
			s.end = s.at;
		if (scan_equals(part, "-") || scan_equals(part, "--"))
			text->delimiter = text->frames.len;
		else if (!is_missed(part) && scan_left(&part))
			add_frame(text, part);
	}
}

static struct error *read_folded(
	struct bcc_text *text, struct scan s, uint64_t weight, const char *position)
{
	scope_guard(text_deinit) struct text comm = {};
	struct sample sample = {
		.pid = text->options->pid, .tid = -1, .weight = weight, .position = position};
	struct scan rest = s, first;

	(void)scan_to(&rest, ';', &first);
	if (scan_left(&first) && scan_left(&first) <= COMM_MAX) {
		text_add_scan(&comm, first);
		sample.comm = comm.data;
		s = rest;
	}
	clear(text);
	add_folded(text, s);
	return weight ? give(text, &sample) : NULL;
}

struct error *folded_text_read(struct dump *dump, const struct input_options *options)
{
	scope_guard(bcc_text_deinit) struct bcc_text text = {
		.dump = dump, .options = options, .stack = {.source = SOURCE_FOLDED}};
	struct source_line line;
	struct scan stack;
	uint64_t weight;

	try(dump_goes_live(dump));
	collector_samples_count(dump->collector);
	while (source_line(dump->source, &line)) {
		if (line.skipped || !line.len)
			continue;
		struct scan s = source_line_text(&line);
		auto_free char *position = source_position(dump->source, line.number);
		if (!parse_folded(s, &stack, &weight) || *line.at == ' ' || *line.at == '\t') {
			if (!folded_text_starts(line.at, line.len)) {
				source_line_back(dump->source, &line);
				break;
			}
			dump_warn(dump, "%s: a folded stack without a count is skipped", position);
			continue;
		}
		try(read_folded(&text, stack, weight, position));
	}
	return NULL;
}
