// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/block_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/lists/addresses.h"
#include "input/processes.h"
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
	enum block_tool tool; /* tool of the current block */
	uint64_t number;      /* of the current line; 0: unknown, in a list */
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

static void odd_line(struct block_reader *reader)
{
	if (!reader->odd++)
		reader->odd_line = reader->number;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/*
 * Decides whether the number of FRAME, a user frame of perf, is an address or a file offset.
 * IS_ADDRESS: it is certainly an address of the process.
 */
static void place_value(struct block_reader *reader, bool is_address, struct tool_frame *frame)
{
	const uint64_t value = frame->address;
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
		place_value(reader, in_head, &frame);
	if (scan_starts(object, "[unknown]"))
		frame.object = NULL;
	vec_push(&stack->frames, frame);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Ends the block before the current line, and passes its sample, if it is one, to the collector. */
static struct error *end_block(struct block_reader *reader)
{
	struct source *source = reader->dump->source;
	struct sample *sample = &reader->sample;
	struct text_stack *stack = &reader->stack;
	const bool splits = reader->tool == TOOL_BCC || reader->tool == TOOL_FOLDED;
	size_t n_kernel = reader->delimiter; /* number of kernel frames, if the tool SPLITS */

	if (reader->tool != TOOL_PERF && stack->frames.len && !reader->has_weight)
		odd_line(reader);
	if (!reader->has_weight || !sample->weight)
		return NULL;
	/* without a delimiter: the frames up to the outermost one known to be a kernel frame */
	if (splits && n_kernel == SIZE_MAX) {
		n_kernel = 0;
		vec_each(frame, &stack->frames)
			if (frame->kernel ||
				(!frame->has_address && frame->side_by_name == SIDE_KERNEL))
				n_kernel = (size_t)(frame - stack->frames.data) + 1;
	}
	auto_free char *position =
		reader->line ? source_position(source, reader->line) : xstrdup(source->name);
	sample->comm = reader->comm.len ? reader->comm.data : NULL;
	sample->position = position;
	vec_each(frame, &stack->frames) {
		if (splits)
			frame->kernel = frame < stack->frames.data + n_kernel;
		/* an address can be looked up in a process that is alive or recorded */
		if (!frame->name && frame->has_address && frame->has_file_offset &&
			process_of_thread(reader->options->processes, sample->pid) >= 0)
			frame->has_file_offset = false;
		text_stack_add(stack, frame);
	}
	return text_stack_give(stack, sample);
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

/* Sets the sample's fields that the current line has. */
static void take_groups(struct block_reader *reader, const struct pattern_match *match)
{
	struct sample *sample = &reader->sample;
	struct scan time = match->groups[GROUP_TIME], weight = match->groups[GROUP_WEIGHT];
	int64_t tid = match_decimal(match, GROUP_TID);

	reader->line = reader->number;
	if (match_has(match, GROUP_COMM)) {
		/* wakeuptime prints the woken thread first: `WAKER -> WOKEN`, as for its maps */
		auto_text struct text woken = reader->comm;

		reader->comm = (struct text){};
		text_add_scan(&reader->comm, match->groups[GROUP_COMM]);
		if (woken.len)
			text_printf(&reader->comm, " -> %s", woken.data);
		sample->pid = match_decimal(match, GROUP_PID);
		sample->tid = tid;
	}
	/* a lone number is a thread ID if there is such a thread, else a process ID */
	if (tid >= 0 && !match_has(match, GROUP_PID)) {
		int64_t process = process_of_thread(reader->options->processes, tid);

		sample->pid = process >= 0 ? process : reader->options->pid;
		sample->tid = sample->pid >= 0 ? tid : -1;
		if (sample->pid < 0)
			sample->pid = tid;
	}
	sample->perf_clock = match_has(match, GROUP_TIME) && scan_seconds(&time, &sample->time);
	sample->weight = 1;
	if (scan_left(&weight) && (reader->tool != TOOL_PERF || reader->by_period))
		(void)scan_decimal(&weight, &sample->weight);
	reader->has_weight = match_has(match, GROUP_WEIGHT);
}

/* Ends the block before the current line, and starts an empty one. */
static struct error *next_block(struct block_reader *reader)
{
	struct error *error = end_block(reader);

	clear(reader);
	return error;
}

/*
 * Reads a folded stack, such as `chain;main;f;-;do_syscall_64`. Frames are root first, so it is
 * read from the end.
 */
static void read_folded(struct block_reader *reader, struct scan s)
{
	struct pattern_match match;
	struct tool_frame frame;
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
		enum line_act act =
			text_stack_line(&reader->stack, TOOL_FOLDED_PART, part, &frame, &match);
		if (act == LINE_FRAME)
			add_frame(reader, frame, false);
		else if (act == LINE_DELIMITER)
			reader->delimiter = reader->stack.frames.len;
	}
}

/* Begins the block whose first line is MATCH, the current line. */
static struct error *begin_block(struct block_reader *reader, const struct pattern_match *match)
{
	static const struct field fields[] = {{.name = "comm", .kind = FIELD_TEXT},
		{.name = "pid", .kind = FIELD_NUMBER}, {.name = "tid", .kind = FIELD_NUMBER},
		{.name = "time", .kind = FIELD_NUMBER}, {.name = "period", .kind = FIELD_NUMBER}};
	const struct row row = {fields, array_len(fields)};
	struct scan event = match->groups[GROUP_EVENT], rest = match->groups[GROUP_REST];
	struct pattern_match unused;
	struct tool_frame frame;

	/* at perf's first sample, check --key against the fields that perf script has */
	if (reader->tool == TOOL_PERF && !reader->events.len) {
		const char *weight = roles_given(&reader->overrides, ROLE_WEIGHT);
		auto_free char *position = source_position(reader->dump->source, reader->number);

		reader->by_period = weight && !strcmp(weight, "period");
		try(roles_check(&row, &reader->overrides, position));
	}
	take_groups(reader, match);
	if (reader->tool == TOOL_FOLDED) {
		read_folded(reader, rest);
		return next_block(reader);
	}
	if (reader->tool != TOOL_PERF)
		return NULL;
	reader->has_weight = takes_event(reader, event.at ? event : scan_of(""));
	/* without call chains, the only frame is on the head line */
	if (rest.at &&
		text_stack_line(&reader->stack, TOOL_PERF, rest, &frame, &unused) == LINE_FRAME)
		add_frame(reader, frame, true);
	return NULL;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Takes the current line, of a block: FRAME or MATCH has what it says, depending on ACT. */
static struct error *take_line(struct block_reader *reader, enum line_act act,
	const struct tool_frame *frame, const struct pattern_match *match)
{
	struct text_stack *stack = &reader->stack;
	struct scan weight;
	bool owned = reader->owned;

	switch (act) {
	case LINE_HEAD:
		try(next_block(reader));
		return begin_block(reader, match);
	case LINE_NO_SAMPLE:
		try(next_block(reader));
		reader->line = reader->number;
		break;
	case LINE_FRAME:
		if (owned) /* the weight is missing */
			try(next_block(reader));
		add_frame(reader, *frame, false);
		break;
	case LINE_SOURCE_LINE: /* such as `  chain.c:12`, which follows its frame */
		if (stack->frames.len) {
			vec_last(&stack->frames)->file = frame->file;
			vec_last(&stack->frames)->line = frame->line;
		}
		break;
	case LINE_DELIMITER:
		reader->delimiter = stack->frames.len;
		break;
	case LINE_OWNER:
		if (owned)
			try(next_block(reader));
		take_groups(reader, match);
		reader->owned = true;
		break;
	case LINE_TAIL:
		weight = match->groups[GROUP_WEIGHT];
		(void)scan_decimal(&weight, &reader->sample.weight);
		reader->has_weight = owned;
		if (!owned && !stack->frames.len)
			odd_line(reader);
		return next_block(reader);
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
	struct tool_frame frame;

	if (reader->lists > 1)
		log_add(dump->log, LOG_WARNING, 1,
			"%s: has %" PRIu64
			" lists of allocations: the last, which includes the others, is used",
			dump->source->name, reader->lists);
	if (reader->list.len > LIST_MAX)
		dump_warn(reader->dump, "%s: the list of allocations is longer than %d MiB",
			dump->source->name, LIST_MAX >> 20);
	reader->number = 0;
	while (scan_line(&rest, &text)) {
		enum line_act act =
			text_stack_line(&reader->stack, reader->tool, text, &frame, &match);

		try(take_line(reader, act, &frame, &match));
	}
	reader->lists = 0;
	text_clear(&reader->list);
	return NULL;
}

/* Returns false if LINE, which is not empty, belongs to no block. */
static bool is_of_block(const struct block_reader *reader, struct scan line, enum line_act act)
{
	if (reader->tool == TOOL_PERF && !reader->line)
		return act == LINE_HEAD || act == LINE_NO_SAMPLE;
	return act != LINE_START ||
	       (reader->tool != TOOL_FOLDED && (*line.at == ' ' || *line.at == '\t'));
}

static struct error *read_lines(struct block_reader *reader)
{
	struct source *source = reader->dump->source;
	struct pattern_match match;
	struct tool_frame frame;
	struct source_line line;

	while (source_line(source, &line)) {
		struct scan text = source_line_text(&line), trimmed = scan_trimmed(text);

		reader->number = line.number;
		if (line.skipped) {
			odd_line(reader);
			continue;
		}
		if (!scan_left(&trimmed)) {
			try(next_block(reader));
			continue;
		}
		enum line_act act =
			text_stack_line(&reader->stack, reader->tool, text, &frame, &match);
		if (!is_of_block(reader, text, act)) {
			source_line_back(source, &line);
			break;
		}
		if (act == LINE_LIST) {
			reader->lists++;
			text_clear(&reader->list);
		} else if (reader->lists && reader->list.len <= LIST_MAX) {
			text_add_scan(&reader->list, text);
			text_add_char(&reader->list, '\n');
		}
		if (reader->lists)
			continue;
		try(take_line(reader, act, &frame, &match));
		if (act == LINE_START) {
			odd_line(reader);
			if (reader->tool == TOOL_BCC)
				clear(reader);
		}
	}
	try(give_list(reader));
	reader->number = source_line_number(source);
	return next_block(reader);
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
	clear(reader);
	return read_lines(reader);
}

/* ---- the source ------------------------------------------------------------------------------ */

struct error *block_reader_create(struct dump *dump, const struct input_options *options,
	struct tool_blocks *blocks, struct block_reader **ret)
{
	struct block_reader *reader = xnew(reader);

	*ret = reader;
	reader->dump = reader->stack.dump = dump;
	reader->options = options;
	reader->stack.blocks = blocks;
	return role_overrides_parse(options->key_fields, &reader->overrides);
}

void block_reader_end(const struct block_reader *reader)
{
	struct dump *dump = reader->dump;
	auto_text struct text sums = {}; /* of the other events */
	const struct event *all = reader->events.data;
	uint64_t others = 0;

	for (size_t i = 1; i < reader->events.len; i++) {
		text_printf(&sums, "%s'%.*s': %" PRIu64, i > 1 ? ", " : "", EVENT_SHOWN,
			all[i].name, all[i].samples);
		others += all[i].samples;
	}
	if (sums.len)
		dump_warn(dump,
			"%s: %" PRIu64 " samples of other events ('%.*s' is the first) than '%.*s' "
			"are left out (%s): counts of different events cannot be added up; pass "
			"those of one event, as perf script --per-event-dump writes them",
			dump->source->name, others, EVENT_SHOWN, all[1].name, EVENT_SHOWN,
			all[0].name, sums.data);
	if (reader->events.len && !*all[0].name)
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
