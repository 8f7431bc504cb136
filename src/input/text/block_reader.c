// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/block_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/lists/addresses.h"
#include "input/roles/roles.h"
#include "input/text/text_stack.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum {
	COMM_MAX = 15,	     /* bytes: TASK_COMM_LEN without its NUL */
	EVENT_SHOWN = 80,    /* bytes of an event's name in a message */
	EVENTS_MAX = 64,     /* counted events; the last entry also counts all further ones */
	NEVER_OFFSET = 40,   /* bits: file offsets are below 2^40, addresses of PIE above */
	NEVER_ADDRESS = 16,  /* bits: no address is below 2^16 (mmap_min_addr) */
	LIST_MAX = 64 << 20, /* bytes of one memleak list */
	FRAMES_MAX = 2 * TEXT_STACK_FRAMES_MAX,
};

/* Meaning of the numbers of perf's user frames that have a file. */
enum user_values {
	VALUES_UNKNOWN,
	VALUES_OFFSETS,	  /* file offsets, in bytes */
	VALUES_ADDRESSES, /* addresses of the process */
};

struct event {
	char *name; /* escaped */
	uint64_t samples;
};

struct block_reader {
	struct dump *dump;
	const struct input_options *options;
	struct tool_blocks *blocks;
	enum block_tool tool; /* tool of the current block */
	struct role_overrides overrides;
	bool by_period; /* --key says so */
	/* the current block */
	struct text_stack stack;
	struct text comm;
	struct sample sample;
	uint64_t line;	  /* line number of its head or owner; 0: none so far */
	bool owned;	  /* true after the owner line: the weight follows */
	bool has_weight;  /* true if the block is a sample */
	size_t delimiter; /* number of frames before the delimiter; SIZE_MAX: none */
	/* the whole source */
	enum user_values values;
	struct VEC(struct event) events; /* in order of appearance; only the first is read */
	struct text list;		 /* lines of memleak's current list */
	uint64_t lists;
	uint64_t deferred; /* user stacks printed after their samples, which are skipped */
	uint64_t no_file; /* user frames without name and file; their number may be a file offset */
	uint64_t odd, odd_line; /* number of lines not understood, and line number of the first */
};

void block_reader_cleanup(struct block_reader **of)
{
	struct block_reader *reader = *of;

	if (!reader)
		return;
	vec_free_each(&reader->events, name);
	vec_deinit(&reader->events);
	role_overrides_deinit(&reader->overrides);
	text_stack_deinit(&reader->stack);
	text_deinit(&reader->comm);
	text_deinit(&reader->list);
	free(reader);
}

static void clear(struct block_reader *reader)
{
	text_stack_clear(&reader->stack);
	text_clear(&reader->comm);
	reader->sample = (struct sample){.pid = reader->options->pid, .tid = -1};
	reader->line = 0;
	reader->owned = reader->has_weight = false;
	reader->delimiter = SIZE_MAX;
}

static void odd_line(struct block_reader *reader, uint64_t number)
{
	if (!reader->odd++)
		reader->odd_line = number;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/*
 * Decides whether VALUE, the number of a user frame of perf, is an address or a file offset, and
 * sets FRAME accordingly. IS_ADDRESS: VALUE is certainly an address of the process.
 */
static void place_value(
	struct block_reader *reader, uint64_t value, bool is_address, struct tool_frame *frame)
{
	bool in_file = frame->object && *frame->object == '/';

	if (in_file && reader->values == VALUES_UNKNOWN)
		reader->values = value >> NEVER_OFFSET	  ? VALUES_ADDRESSES
				 : value >> NEVER_ADDRESS ? VALUES_UNKNOWN
							  : VALUES_OFFSETS;
	frame->has_address = is_address || (!in_file && frame->object) ||
			     reader->values == VALUES_ADDRESSES || value >> NEVER_OFFSET;
	if (frame->has_address)
		return;
	if (!in_file) { /* perhaps an offset in a file that is not printed */
		reader->no_file += !frame->name;
	} else if (!frame->has_file_offset) {
		frame->file_offset = value;
		frame->has_file_offset = true;
		frame->maybe_address = reader->values == VALUES_UNKNOWN;
	}
}

/* Adds FRAME as matched. IN_HEAD: the frame is on the head line. */
static void add_frame(struct block_reader *reader, struct tool_frame frame, bool in_head)
{
	struct text_stack *stack = &reader->stack;

	if (stack->frames.len == FRAMES_MAX) {
		stack->sides[0].left_out++;
		return;
	}
	struct scan object = scan_of(frame.object ?: "");
	frame.kernel |= scan_equals(object, "kernel") ||
			(frame.has_address && address_side_in(&reader->options->halves,
						      frame.address) == SIDE_KERNEL);
	if (reader->tool == TOOL_PERF && frame.kernel)
		frame.has_file_offset = false;
	else if (reader->tool == TOOL_PERF)
		place_value(reader, frame.address, in_head, &frame);
	if (scan_starts(object, "[unknown]"))
		frame.object = NULL;
	vec_push(&stack->frames, frame);
}

static void read_part(
	struct block_reader *reader, enum block_tool tool, struct scan s, bool in_head)
{
	struct pattern_match match;
	struct text_line line;

	if (!text_stack_line(&reader->stack, reader->blocks, tool, s, &line, &match))
		return;
	if (line.act == LINE_FRAME)
		add_frame(reader, line.frame, in_head);
	else if (line.act == LINE_DELIMITER)
		reader->delimiter = reader->stack.frames.len;
}

/*
 * Reads a folded stack, such as `chain;main;f;-;do_syscall_64`. Frames are root first, so it is
 * read from the end.
 */
static void read_folded(struct block_reader *reader, struct scan s)
{
	struct scan rest = s, part;

	(void)scan_to(&rest, ';', &part);
	if (scan_left(&part) && scan_left(&part) <= COMM_MAX) {
		text_add_scan(&reader->comm, part);
		s = rest;
	}
	while (scan_left(&s)) {
		part = s;
		if (!scan_cut_last(&s, ';', &part))
			s.end = s.at;
		read_part(reader, TOOL_FOLDED_PART, part, false);
	}
}

/* ---- samples --------------------------------------------------------------------------------- */

/*
 * Sets which frames are kernel frames: those up to the delimiter, or else up to the outermost one
 * that is known to be a kernel frame.
 */
static void find_kernel(struct block_reader *reader)
{
	size_t n = reader->delimiter;
	struct tool_frame *frames = reader->stack.frames.data;

	for (size_t i = reader->stack.frames.len; i-- > 0 && n == SIZE_MAX;)
		if (frames[i].kernel ||
			(!frames[i].has_address && frames[i].side_by_name == SIDE_KERNEL))
			n = i + 1;
	for (size_t i = 0; i < reader->stack.frames.len; i++)
		frames[i].kernel = n != SIZE_MAX && i < n;
}

/*
 * Ends the block, and passes its sample, if it is one, to the collector. NUMBER: the line after it.
 */
static struct error *end_block(struct block_reader *reader, uint64_t number)
{
	struct source *source = reader->dump->source;
	struct sample *sample = &reader->sample;
	struct text_stack *stack = &reader->stack;

	if (reader->tool != TOOL_PERF && stack->frames.len && !reader->has_weight)
		odd_line(reader, number);
	if (!reader->has_weight || !sample->weight)
		return NULL;
	if (reader->tool == TOOL_BCC || reader->tool == TOOL_FOLDED)
		find_kernel(reader);
	auto_free char *position =
		reader->line ? source_position(source, reader->line) : xstrdup(source->name);
	sample->comm = reader->comm.len ? reader->comm.data : NULL;
	sample->position = position;
	vec_each(frame, &stack->frames) {
		if (!frame->name && frame->has_address && frame->has_file_offset &&
			tool_process_is_known(reader->options, sample->pid))
			frame->has_file_offset = false;
		text_stack_add(stack, frame);
	}
	return text_stack_give(stack, reader->dump, sample);
}

/*
 * Checks --key against the fields that perf script has, and finds out whether it gives the period
 * as weight.
 */
static struct error *check_overrides(struct block_reader *reader, uint64_t number)
{
	static const struct field fields[] = {{.name = "comm", .kind = FIELD_TEXT},
		{.name = "pid", .kind = FIELD_NUMBER}, {.name = "tid", .kind = FIELD_NUMBER},
		{.name = "time", .kind = FIELD_NUMBER}, {.name = "period", .kind = FIELD_NUMBER}};
	const struct row row = {fields, array_len(fields)};
	const char *weight = roles_given(&reader->overrides, ROLE_WEIGHT);
	auto_free char *position = source_position(reader->dump->source, number);

	reader->by_period = weight && !strcmp(weight, "period");
	return roles_check(&row, &reader->overrides, position);
}

/* Counts a sample of EVENT. Returns true for the first event. */
static bool takes_event(struct block_reader *reader, struct scan event)
{
	auto_text struct text name = {};
	size_t i = 0;

	text_add_string(&name, "");
	text_add_escaped(&name, event.at, scan_left(&event));
	while (i < reader->events.len && strcmp(name.data, reader->events.data[i].name) != 0)
		i++;
	if (i == reader->events.len && i < EVENTS_MAX)
		vec_push(&reader->events, (struct event){.name = text_take(&name)});
	reader->events.data[i < EVENTS_MAX ? i : EVENTS_MAX - 1].samples++;
	return !i;
}

/*
 * Sets the comm. wakeuptime prints the comm of the woken thread first, then that of the waker: the
 * result is `WAKER -> WOKEN`, as for its maps.
 */
static void add_comm(struct block_reader *reader, struct scan comm)
{
	auto_text struct text woken = reader->comm;

	reader->comm = (struct text){};
	text_add_scan(&reader->comm, comm);
	if (woken.len)
		text_printf(&reader->comm, " -> %s", woken.data);
}

/* Sets the sample's fields that line NUMBER has. */
static void take_groups(
	struct block_reader *reader, const struct pattern_match *match, uint64_t number)
{
	struct sample *sample = &reader->sample;
	struct scan time = match->groups[GROUP_TIME], weight = match->groups[GROUP_WEIGHT];
	int64_t tid = match_decimal(match, GROUP_TID);

	reader->line = number;
	if (match_has(match, GROUP_COMM)) {
		add_comm(reader, match->groups[GROUP_COMM]);
		sample->pid = match_decimal(match, GROUP_PID);
		sample->tid = tid;
	}
	/* a lone number is a thread ID if there is such a thread */
	if (tid >= 0 && !match_has(match, GROUP_PID))
		tool_thread(reader->options, tid, sample);
	sample->perf_clock = match_has(match, GROUP_TIME) && scan_seconds(&time, &sample->time);
	sample->weight = 1;
	if (scan_left(&weight) && (reader->tool != TOOL_PERF || reader->by_period))
		(void)scan_decimal(&weight, &sample->weight);
	reader->has_weight = match_has(match, GROUP_WEIGHT);
}

/* Ends the block before line NUMBER, and starts an empty one. */
static struct error *next_block(struct block_reader *reader, uint64_t number)
{
	struct error *error = end_block(reader, number);

	clear(reader);
	return error;
}

/* Begins the block whose first line, NUMBER, is MATCH. */
static struct error *begin_block(
	struct block_reader *reader, const struct pattern_match *match, uint64_t number)
{
	struct scan event = match->groups[GROUP_EVENT], rest = match->groups[GROUP_REST];

	if (reader->tool == TOOL_PERF && !reader->events.len)
		try(check_overrides(reader, number));
	take_groups(reader, match, number);
	if (reader->tool == TOOL_FOLDED) {
		read_folded(reader, rest);
		return next_block(reader, number);
	}
	if (reader->tool != TOOL_PERF)
		return NULL;
	reader->has_weight = takes_event(reader, event.at ? event : scan_of(""));
	/* without call chains, the only frame is on the head line */
	if (match_has(match, GROUP_REST))
		read_part(reader, TOOL_PERF, rest, true);
	return NULL;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Reads a source line, such as `  chain.c:12`, which follows its frame. */
static void read_source_line(struct block_reader *reader, const struct tool_frame *source)
{
	struct text_stack *stack = &reader->stack;

	if (!stack->frames.len)
		return;
	vec_last(&stack->frames)->file = source->file;
	vec_last(&stack->frames)->line = source->line;
}

static struct error *take_line(struct block_reader *reader, const struct text_line *line,
	struct pattern_match *match, uint64_t number)
{
	bool owned = reader->owned;

	switch (line->act) {
	case LINE_HEAD:
		try(next_block(reader, number));
		return begin_block(reader, match, number);
	case LINE_NO_SAMPLE:
		try(next_block(reader, number));
		reader->line = number;
		break;
	case LINE_FRAME:
		if (owned) /* the weight is missing */
			try(next_block(reader, number));
		add_frame(reader, line->frame, false);
		break;
	case LINE_SOURCE_LINE:
		read_source_line(reader, &line->frame);
		break;
	case LINE_DELIMITER:
		reader->delimiter = reader->stack.frames.len;
		break;
	case LINE_OWNER:
		if (owned)
			try(next_block(reader, number));
		take_groups(reader, match, number);
		reader->owned = true;
		break;
	case LINE_TAIL:
		(void)scan_decimal(&match->groups[GROUP_WEIGHT], &reader->sample.weight);
		reader->has_weight = owned;
		if (!owned && !reader->stack.frames.len)
			odd_line(reader, number);
		return next_block(reader, number);
	case LINE_DEFERRED:
		reader->deferred++;
		break;
	case LINE_LIST:
	case LINE_REMARK:
	case LINE_START:
		break;
	}
	return NULL;
}

/* Reads the samples of the last list. Each list has all allocations outstanding at its time. */
static struct error *give_list(struct block_reader *reader)
{
	const struct dump *dump = reader->dump;
	struct scan rest = text_scan(&reader->list), text;
	struct pattern_match match;
	struct text_line line;

	if (reader->lists > 1)
		log_add(dump->log, LOG_WARNING, 1,
			"%s: has %" PRIu64
			" lists of allocations: the last, which includes the others, is used",
			dump->source->name, reader->lists);
	if (reader->list.len > LIST_MAX)
		dump_warn(reader->dump, "%s: the list of allocations is longer than %d MiB",
			dump->source->name, LIST_MAX >> 20);
	while (scan_line(&rest, &text))
		if (text_stack_line(
			    &reader->stack, reader->blocks, reader->tool, text, &line, &match))
			try(take_line(reader, &line, &match, 0));
	reader->lists = 0;
	text_clear(&reader->list);
	return NULL;
}

/*
 * Begins a list at its heading, or adds LINE to the current list. Returns false if there is no
 * list.
 */
static bool is_of_list(struct block_reader *reader, struct scan line, enum line_act act)
{
	if (act == LINE_LIST) {
		reader->lists++;
		text_clear(&reader->list);
	} else if (reader->lists && reader->list.len <= LIST_MAX) {
		text_add_scan(&reader->list, line);
		text_add_char(&reader->list, '\n');
	}
	return reader->lists;
}

/* Returns false if LINE, which is not empty, belongs to no block. */
static bool is_of_block(const struct block_reader *reader, struct scan line, enum line_act act)
{
	if (reader->tool == TOOL_PERF && !reader->line)
		return act == LINE_HEAD || act == LINE_NO_SAMPLE;
	return act != LINE_START ||
	       (reader->tool != TOOL_FOLDED && (*line.at == ' ' || *line.at == '\t'));
}

/* Reads TEXT, which is not empty. Sets OTHER_RET to true if it belongs to no block. */
static struct error *read_line(
	struct block_reader *reader, struct scan text, uint64_t number, bool *other_ret)
{
	struct pattern_match match;
	struct text_line line = {.act = LINE_START /* kept if no row matches */};
	bool known =
		text_stack_line(&reader->stack, reader->blocks, reader->tool, text, &line, &match);

	*other_ret = !is_of_block(reader, text, line.act);
	if (*other_ret || is_of_list(reader, text, line.act))
		return NULL;
	if (known)
		return take_line(reader, &line, &match, number);
	odd_line(reader, number);
	if (reader->tool == TOOL_BCC)
		clear(reader);
	return NULL;
}

static struct error *read_lines(struct block_reader *reader)
{
	struct source *source = reader->dump->source;
	struct source_line line;
	bool other = false;

	while (!other && source_line(source, &line)) {
		struct scan text = source_line_text(&line), trimmed = scan_trimmed(text);

		if (line.skipped)
			odd_line(reader, line.number);
		else if (!scan_left(&trimmed))
			try(next_block(reader, line.number));
		else
			try(read_line(reader, text, line.number, &other));
	}
	if (other)
		source_line_back(source, &line);
	try(give_list(reader));
	return next_block(reader, source_line_number(source));
}

struct error *block_reader_read(struct block_reader *reader, enum block_tool tool)
{
	static const enum frame_source sources[] = {[TOOL_PERF] = SOURCE_PERF,
		[TOOL_BCC] = SOURCE_BCC,
		[TOOL_MEMLEAK] = SOURCE_BCC,
		[TOOL_FOLDED] = SOURCE_FOLDED};

	try(dump_goes_live(reader->dump));
	collector_samples_count(reader->dump->collector);
	reader->tool = tool;
	reader->stack.source = sources[tool];
	reader->stack.collector = reader->dump->collector;
	clear(reader);
	return read_lines(reader);
}

/* ---- the source ------------------------------------------------------------------------------ */

struct error *block_reader_create(struct dump *dump, const struct input_options *options,
	struct tool_blocks *blocks, struct block_reader **ret)
{
	struct block_reader *reader = xnew(reader);

	*ret = reader;
	reader->dump = dump;
	reader->options = options;
	reader->blocks = blocks;
	return role_overrides_parse(options->key_fields, &reader->overrides);
}

/* Warns that samples of other events were skipped, and how many by event. */
static void report_events(const struct block_reader *reader)
{
	auto_text struct text sums = {};
	const struct event *all = reader->events.data;
	uint64_t others = 0;

	if (reader->events.len < 2)
		return;
	for (size_t i = 1; i < reader->events.len; i++) {
		text_printf(&sums, "%s'%.*s': %" PRIu64, i > 1 ? ", " : "", EVENT_SHOWN,
			all[i].name, all[i].samples);
		others += all[i].samples;
	}
	dump_warn(reader->dump,
		"%s: %" PRIu64 " samples of other events ('%.*s' is the first) than '%.*s' are "
		"left out (%s): counts of different events cannot be added up; pass those of one "
		"event, as perf script --per-event-dump writes them",
		reader->dump->source->name, others, EVENT_SHOWN, all[1].name, EVENT_SHOWN,
		all[0].name, sums.data);
}

void block_reader_end(const struct block_reader *reader)
{
	struct dump *dump = reader->dump;

	report_events(reader);
	if (reader->events.len && !*reader->events.data[0].name)
		log_add(dump->log, LOG_WARNING, 1,
			"%s: the samples do not name their event, and all are added up; run perf "
			"script with -F +event",
			dump->source->name);
	if (reader->no_file)
		dump_warn(dump,
			"%s: frames without a file: %" PRIu64
			"; their numbers may be addresses or offsets: run perf script with -F +dso",
			dump->source->name, reader->no_file);
	if (reader->deferred)
		dump_warn(dump,
			"%s: %" PRIu64
			" user stacks are printed after their samples, and are left out: "
			"run perf script without --no-merge-callchains",
			dump->source->name, reader->deferred);
	if (reader->odd)
		dump_warn(dump,
			"%s:%" PRIu64 ": not understood among stacks of %s; %" PRIu64
			" such lines are skipped",
			dump->source->name, reader->odd_line,
			reader->tool == TOOL_PERF ? "perf script" : "bcc or libbpf-tools",
			reader->odd);
}
