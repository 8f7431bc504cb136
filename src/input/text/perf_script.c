// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/perf_script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/lists/addresses.h"
#include "input/roles/role_check.h"
#include "input/roles/roles.h"
#include "input/text/text_stack.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum {
	COMM_MAX = 15,	  /* bytes: TASK_COMM_LEN without its NUL */
	EVENT_SHOWN = 80, /* bytes of an event's name in a message */
	EVENTS_MAX =
		64, /* of which samples are counted; the last one has those of all others, too */
	ADDRESS_COLUMNS = 16, /* of a frame */
	NEVER_OFFSET = 40,    /* bits: files are smaller, addresses of moved programs larger */
	NEVER_ADDRESS = 16,   /* bits: mmap_min_addr */
};

/* What the numbers of user frames with a file are. */
enum user_values {
	VALUES_UNKNOWN,
	VALUES_OFFSETS,	  /* in the file */
	VALUES_ADDRESSES, /* of the process */
};

/* One of the events that the source has samples of. */
struct event {
	struct text name;
	uint64_t samples;
};

struct perf_script {
	struct dump *dump;
	const struct input_options *options;
	struct role_overrides overrides;
	bool overrides_checked, by_period;
	struct text_stack stack;
	struct tool_frame frame; /* the last one; its line may follow */
	bool has_frame, frame_in_kernel;
	struct text frame_text, file_text; /* what FRAME points to */
	enum user_values values;
	struct VEC(struct event) events; /* in their order; only samples of the first are read */
	uint64_t deferred, odd;		 /* stacks, lines that were left out */
	uint64_t no_file; /* user frames without a name, of which only an offset is known */
	struct text odd_place;
};

void perf_script_cleanup(struct perf_script **of)
{
	struct perf_script *script = *of;

	if (!script)
		return;
	for (size_t i = 0; i < script->events.len; i++)
		text_deinit(&script->events.data[i].name);
	vec_deinit(&script->events);
	role_overrides_deinit(&script->overrides);
	text_stack_deinit(&script->stack);
	text_deinit(&script->frame_text);
	text_deinit(&script->file_text);
	text_deinit(&script->odd_place);
	free(script);
}

/* ---- headers ---- */

/* `68586.592577: ` in nanoseconds. */
static bool scan_time(struct scan *s, uint64_t *ret)
{
	struct scan at = *s;

	if (!scan_seconds(&at, ret) || *ret > INT64_MAX)
		return false;
	const char *dot = memchr(s->at, '.', (size_t)(at.at - s->at));
	if (!dot || at.at - dot < 7 || at.at - dot > 10 || !scan_char(&at, ':') ||
		(scan_left(&at) && *at.at != ' '))
		return false;
	*s = at;
	return true;
}

/* `24986`, or `-1` of a task that has exited. */
static bool scan_id(struct scan *s, int64_t *ret)
{
	bool exited = scan_char(s, '-');
	uint64_t number;

	if (!scan_decimal(s, &number) || number > INT32_MAX || (exited && number != 1))
		return false;
	*ret = exited ? -1 : (int64_t)number;
	return true;
}

/* ` 24986/24987 [001] ` before the time; S is at its first blank. */
static bool scan_ids(struct scan *s, struct perf_header *header)
{
	struct scan at = *s;
	uint64_t cpu;

	scan_blanks(&at);
	if (!scan_id(&at, &header->pid))
		return false;
	header->tid = header->pid;
	header->has_pid = scan_char(&at, '/');
	if (header->has_pid && !scan_id(&at, &header->tid))
		return false;
	if (!scan_left(&at) || *at.at != ' ')
		return false;
	scan_blanks(&at);
	if (scan_char(&at, '[') && (!scan_decimal(&at, &cpu) || !scan_char(&at, ']')))
		return false;
	scan_blanks(&at);
	while (scan_left(&at) && memchr("KUHGg", *at.at, 5)) /* the mode of the CPU, of +misc */
		at.at++;
	scan_blanks(&at);
	*s = at;
	return true;
}

/* The columns of blanks and an address at the beginning of S; 0: there is no address. */
static size_t address_columns(struct scan s)
{
	const char *start = s.at;
	uint64_t value;

	while (scan_char(&s, ' '))
		;
	return scan_hex(&s, &value) && (!scan_left(&s) || *s.at == ' ') ? (size_t)(s.at - start)
									: 0;
}

/* Returns true if the frame is in the header's line, at the beginning of S: one or two blanks precede its columns. */
static bool has_frame(struct scan s)
{
	return scan_starts(s, " ") && address_columns(s) > ADDRESS_COLUMNS;
}

/*
 * `            spin 29458      55af6861913f`, as perf script prints samples without call chains and time. A smaller number
 * may be that of any table.
 */
static bool has_frame_after_comm(struct scan line)
{
	const char *end = line.at + COMM_MAX + 1;
	uint64_t address;
	int64_t id;

	if (!scan_starts(line, " ") || line.end - end < ADDRESS_COLUMNS || end[-1] == ' ')
		return false;
	line.at = end;
	struct scan at = line;
	scan_blanks(&at);
	if (scan_id(&at, &id) && (!scan_char(&at, '/') || scan_id(&at, &id)) &&
		scan_starts(at, " "))
		line = at;
	at = line;
	scan_blanks(&at);
	return has_frame(line) && scan_hex(&at, &address) && address >> 32;
}

bool perf_frame_starts(struct scan line)
{
	struct scan at = line;

	return scan_char(&at, '\t') ? address_columns(at) == ADDRESS_COLUMNS
				    : has_frame_after_comm(line);
}

/* `  5025125 cpu-clock:pppH: …`: names hold colons, but none before a blank. */
static void parse_event(struct scan s, struct perf_header *header)
{
	struct scan word, at;

	header->period = 1;
	header->event = (struct scan){s.at, s.at};
	header->rest = s;
	if (has_frame(s))
		return;
	scan_blanks(&s);
	at = s;
	if (scan_decimal(&at, &header->period) && scan_left(&at) && *at.at == ' ')
		s = at;
	else
		header->period = 1;
	scan_blanks(&s);
	at = s;
	header->rest = s;
	if (!scan_word(&at, &word) || word.end[-1] != ':')
		return;
	header->event = (struct scan){word.at, word.end - 1};
	header->rest = at;
}

/*
 * A comm may hold anything, also what looks like the rest of a header: the last place counts where
 * what comes before it is no longer than a comm can be. Of a sample without call chain it is aligned to the right.
 */
bool perf_header_parse(struct scan line, struct perf_header *ret)
{
	struct scan s = line;
	bool found = false, aligned = scan_starts(s, " ");

	if (!scan_left(&s) || *s.at == '\t' || *s.at == '#')
		return false;
	s.at += aligned ? COMM_MAX + 1 : 0;
	for (; s.at < s.end && s.at - line.at <= COMM_MAX + aligned; s.at++) {
		struct perf_header header = {.comm = scan_trimmed((struct scan){line.at, s.at})};
		struct scan at = s;

		if (*s.at != ' ' || s.at == line.at || s.at[-1] == ' ' || !scan_ids(&at, &header) ||
			!scan_time(&at, &header.time))
			continue;
		parse_event(at, &header);
		*ret = header;
		found = true;
	}
	return found;
}

/* ---- frames ---- */

static bool is_kernel_object(struct scan object)
{
	static const char *const others[] = {"[unknown]", "[vdso]", "[vsyscall]", "[heap]",
		"[stack]", "[anon", "[vdso32]", "[vdsox32]"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (scan_starts(object, others[i]))
			return false;
	return scan_starts(object, "[");
}

/* What the first ` (` of TEXT, which ends in `)`, stands between. */
static void split_at_blank(struct scan text, struct scan *name, struct scan *object)
{
	const char *at = scan_find(text, " (");

	if (!at || !scan_ends(text, ")"))
		return;
	name->end = at;
	*object = (struct scan){at + 2, text.end - 1};
}

/*
 * `spin_leaf+0x9 (/usr/bin/chain)`, `inner (inlined)`. A path may hold parentheses of its own: behind
 * the offset in the function it begins for sure.
 */
static void parse_name(struct scan text, struct tool_frame *frame)
{
	static const char kernel[] = "[kernel]";
	struct scan name = text, object = {text.end, text.end};

	if (!text_last_parentheses(text, &name, &object))
		split_at_blank(text, &name, &object);
	else if (scan_left(&name) && name.end + 1 == object.at) { /* `operator()`, without a file */
		name = text;
		object.at = object.end;
	}
	frame->inlined = scan_equals(object, "inlined");
	if (scan_starts(object, "[kernel."))
		object = (struct scan){kernel, kernel + strlen(kernel)};
	else if (frame->inlined)
		object = (struct scan){};
	frame->object = object;
	/* `/usr/bin/chain+0x1142` of +dsoff */
	frame->has_file_offset = text_cut_offset(&frame->object, true, &frame->file_offset);
	if (scan_starts(name, "[unknown]"))
		return;
	frame->has_offset = text_cut_offset(&name, true, &frame->offset);
	frame->name = name;
}

/* A frame's line; false: it is none. */
static bool parse_frame(struct scan line, uint64_t *value, struct tool_frame *ret)
{
	*ret = (struct tool_frame){};
	scan_blanks(&line);
	if (!scan_hex(&line, value) || (scan_left(&line) && *line.at != ' '))
		return false;
	scan_blanks(&line);
	if (scan_left(&line))
		parse_name(line, ret);
	return true;
}

/* What VALUE, the number of a user frame, is; see perf_script.h. IS_ADDRESS: one of the process for sure. */
static void place_value(
	struct perf_script *script, uint64_t value, bool is_address, struct tool_frame *frame)
{
	bool in_file = scan_starts(frame->object, "/");

	if (in_file && script->values == VALUES_UNKNOWN)
		script->values = value >> NEVER_OFFSET	  ? VALUES_ADDRESSES
				 : value >> NEVER_ADDRESS ? VALUES_UNKNOWN
							  : VALUES_OFFSETS;
	if (is_address || (!in_file && scan_left(&frame->object)) ||
		script->values == VALUES_ADDRESSES || value >> NEVER_OFFSET) {
		frame->address = value;
		frame->has_address = true;
	} else if (!in_file) { /* perhaps an offset, in a file that is not printed */
		script->no_file += !scan_left(&frame->name);
	} else if (!frame->has_file_offset) {
		frame->file_offset = value;
		frame->has_file_offset = true;
		frame->maybe_address = script->values == VALUES_UNKNOWN;
	}
}

static void end_frame(struct perf_script *script, const struct sample *sample)
{
	struct tool_frame *frame = &script->frame;

	if (!script->has_frame)
		return;
	if (!scan_left(&frame->name) && frame->has_address && frame->has_file_offset &&
		tool_process_is_known(script->options, sample->pid))
		frame->has_file_offset = false;
	text_stack_add(&script->stack, frame, script->frame_in_kernel);
	script->has_frame = false;
}

static struct scan keep(struct text *text, struct scan s)
{
	text_clear(text);
	text_add_scan(text, s);
	return text_scan(text);
}

static void begin_frame(struct perf_script *script, struct scan line, bool in_header)
{
	struct tool_frame *frame = &script->frame;
	uint64_t value = 0;

	/* The line's bytes are gone when the next is read. */
	(void)parse_frame(keep(&script->frame_text, line), &value, frame);
	if (scan_equals(frame->name, "(cookie)")) {
		script->deferred++;
		return;
	}
	script->has_frame = true;
	script->frame_in_kernel = is_kernel_object(frame->object) ||
				  address_side_in(&script->options->halves, value) == SIDE_KERNEL;
	if (script->frame_in_kernel) {
		frame->address = value;
		frame->has_address = true;
		frame->has_file_offset = false;
	} else {
		place_value(script, value, in_header, frame);
	}
	if (scan_starts(frame->object, "[unknown]"))
		frame->object = (struct scan){};
}

/* `  chain.c:12`, after the frame that it is of; `  [kernel.kallsyms][ffffffff81000130]` says nothing. */
static void parse_source_line(struct perf_script *script, struct scan line)
{
	struct scan digits;
	uint64_t number;

	if (!scan_cut_last(&line, ':', &digits) || !scan_left(&line) || !script->has_frame)
		return;
	if (!scan_decimal(&digits, &number) || number > UINT32_MAX || !number)
		return;
	script->frame.file = keep(&script->file_text, line);
	script->frame.line = (uint32_t)number;
}

/* ---- samples ---- */

/* What --key can name; it is looked for once. */
static struct error *check_overrides(struct perf_script *script, const char *position)
{
	static const struct field fields[] = {{.name = "comm", .kind = FIELD_TEXT},
		{.name = "pid", .kind = FIELD_NUMBER}, {.name = "tid", .kind = FIELD_NUMBER},
		{.name = "time", .kind = FIELD_NUMBER}, {.name = "period", .kind = FIELD_NUMBER}};
	const struct row row = {fields, sizeof(fields) / sizeof(*fields)};
	const char *weight = roles_given_field(&script->overrides, ROLE_WEIGHT);

	if (!script->overrides_checked)
		try(roles_check(&row, &script->overrides, position));
	script->overrides_checked = true;
	script->by_period = weight && !strcmp(weight, "period");
	return NULL;
}

static bool is_hybrid(struct scan *event)
{
	return scan_literal(event, "cpu_core/") || scan_literal(event, "cpu_atom/");
}

/* Hybrid CPUs count the same event by two names: `cpu_core/cycles/` and `cpu_atom/cycles/`. */
static bool is_same_event(struct scan a, struct scan b)
{
	return is_hybrid(&a) == is_hybrid(&b) && scan_left(&a) == scan_left(&b) &&
	       !memcmp(a.at, b.at, scan_left(&a));
}

/* Counts a sample of EVENT. Returns true for the first event. */
static bool takes_event(struct perf_script *script, struct scan event)
{
	size_t i = 0;

	while (i < script->events.len &&
		!is_same_event(event, text_scan(&script->events.data[i].name)))
		i++;
	if (i == script->events.len && i < EVENTS_MAX) {
		vec_push(&script->events, (struct event){});
		text_add_scan(&script->events.data[i].name, event);
	}
	script->events.data[i < EVENTS_MAX ? i : EVENTS_MAX - 1].samples++;
	return !i;
}

/* A number that stands alone is a thread's, if one has it. */
static void find_process(
	const struct perf_script *script, const struct perf_header *header, struct sample *sample)
{
	sample->pid = header->pid;
	sample->tid = header->tid;
	if (!header->has_pid && header->tid >= 0)
		tool_thread(script->options, sample->tid, sample);
}

static void odd_line(struct perf_script *script, uint64_t number)
{
	if (!script->odd++)
		text_printf(&script->odd_place, "%" PRIu64, number);
}

/* One line after a header, or none. False: it is none of the sample's. */
static bool read_sample_line(
	struct perf_script *script, const struct sample *sample, const struct source_line *line)
{
	struct scan s = source_line_text(line);
	struct perf_header header;
	struct tool_frame frame;
	uint64_t value;

	if (line->skipped) {
		odd_line(script, line->number);
		return true;
	}
	if (!line->len || (*line->at != ' ' && *line->at != '\t') || perf_header_parse(s, &header))
		return false;
	scan_blanks(&s);
	if (!scan_left(&s))
		return false;
	if (parse_frame(s, &value, &frame)) {
		end_frame(script, sample);
		begin_frame(script, s, false);
	} else if (script->has_frame) {
		parse_source_line(script, s);
	} else {
		odd_line(script, line->number);
	}
	return true;
}

static void read_frames(
	struct perf_script *script, const struct perf_header *header, const struct sample *sample)
{
	struct source *source = script->dump->source;
	struct source_line line;

	text_stack_clear(&script->stack);
	script->has_frame = false;
	/* Without call chains the only frame stands in the header. */
	if (has_frame(header->rest))
		begin_frame(script, header->rest, true);
	while (source_line(source, &line)) {
		if (!read_sample_line(script, sample, &line)) {
			if (line.len)
				source_line_back(source, &line);
			break;
		}
	}
	end_frame(script, sample);
}

static struct error *read_sample(
	struct perf_script *script, const struct perf_header *read, const char *position)
{
	scope_guard(text_deinit) struct text text = {};
	struct perf_header header = *read;
	struct sample sample = {
		.weight = 1, .time = header.time, .perf_clock = true, .position = position};

	try(check_overrides(script, position));
	bool is_deferred = scan_starts(header.rest, "DEFERRED CALLCHAIN ");
	bool taken = !is_deferred && takes_event(script, header.event);
	text_add_scan(&text, header.comm);
	text_add_char(&text, '\0');
	size_t rest = text.len;
	text_add_scan(&text, header.rest);
	header.rest = (struct scan){text.data + rest, text.data + text.len};
	sample.comm = text.data;
	sample.weight = script->by_period ? header.period : 1;
	find_process(script, &header, &sample);
	read_frames(script, &header, &sample);
	return taken && sample.weight ? text_stack_give(&script->stack, script->dump, &sample)
				      : NULL;
}

static void add_event(struct text *out, const struct event *event)
{
	text_add_char(out, '\'');
	text_add_escaped(out, event->name.data,
		event->name.len < EVENT_SHOWN ? event->name.len : EVENT_SHOWN);
	text_add_char(out, '\'');
}

/* Names the events whose samples were left out, with their numbers. */
static void report_events(const struct perf_script *script)
{
	scope_guard(text_deinit) struct text sums = {}, first = {}, taken = {};
	uint64_t others = 0;

	if (script->events.len < 2)
		return;
	add_event(&taken, &script->events.data[0]);
	add_event(&first, &script->events.data[1]);
	for (size_t i = 1; i < script->events.len; i++) {
		const struct event *event = &script->events.data[i];

		if (i > 1)
			text_add_string(&sums, ", ");
		add_event(&sums, event);
		text_printf(&sums, ": %" PRIu64, event->samples);
		others += event->samples;
	}
	dump_warn(script->dump,
		"%s: %" PRIu64 " samples of other events (%s is the first) than %s are left out "
		"(%s): what events count does not add up; pass those of one event, as perf script "
		"--per-event-dump writes them",
		script->dump->source->name, others, first.data, taken.data, sums.data);
}

void perf_script_end(const struct perf_script *script)
{
	struct dump *dump = script->dump;

	report_events(script);
	if (script->events.len && !script->events.data[0].name.len)
		log_add(dump->log, LOG_WARNING, 1,
			"%s: does not say which events it has samples of: they are added up; run perf "
			"script with -F +event",
			dump->source->name);
	if (script->no_file)
		dump_warn(dump,
			"%s: frames without a file, whose number may be an offset in one: %" PRIu64
			"; run perf script with -F +dso",
			dump->source->name, script->no_file);
	if (script->deferred)
		dump_warn(dump,
			"%s: %" PRIu64 " user stacks stand after their samples, and are left out: "
			"run perf script without --no-merge-callchains",
			dump->source->name, script->deferred);
	if (script->odd)
		dump_warn(dump,
			"%s:%s: no frame of perf script; %" PRIu64 " such lines are skipped",
			dump->source->name, script->odd_place.data, script->odd);
}

struct error *perf_script_create(
	struct dump *dump, const struct input_options *options, struct perf_script **ret)
{
	struct perf_script *script = xcalloc(1, sizeof(*script));

	*ret = script;
	script->dump = dump;
	script->options = options;
	script->stack.source = SOURCE_PERF;
	return role_overrides_parse(options->key_fields, &script->overrides);
}

struct error *perf_script_read(struct perf_script *script)
{
	struct dump *dump = script->dump;
	struct source_line line;
	struct perf_header header;

	try(dump_goes_live(dump));
	collector_samples_count(dump->collector);
	while (source_line(dump->source, &line)) {
		if (!line.len && !line.skipped)
			continue;
		if (!perf_header_parse(source_line_text(&line), &header)) {
			source_line_back(dump->source, &line);
			break;
		}
		/* By --show-mmap-events and the like: of the recording, no sample. */
		if (scan_find(source_line_text(&line), ": PERF_RECORD_"))
			continue;
		auto_free char *position = source_position(dump->source, line.number);
		try(read_sample(script, &header, position));
	}
	return NULL;
}
