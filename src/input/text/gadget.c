// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/gadget.h"

#include <ctype.h>
#include <inttypes.h>

#include "input/bpftool/entry.h"
#include "input/bpftool/entry_json.h"
#include "input/bpftool/json.h"
#include "input/processes.h"
#include "input/roles/roles.h"
#include "input/row.h"
#include "input/text/text_stack.h"
#include "util/cleanup.h"
#include "util/vec.h"

enum { LOOK_MAX = 1 << 16 /* bytes that are examined to recognize an event or a heading */ };

/* ---- the first bytes ------------------------------------------------------------------------- */

bool gadget_json_starts(struct source *source, size_t at)
{
	static const char *const stacks[] = {"addresses", "kstack", "kern_stack"},
				 *const others[] = {"key", "value", "values", "formatted", "type",
					 "id", "schema", "elements"};
	size_t depth = 0, start = 0; /* START: offset of the current string; 0: outside a string */
	bool first = true;

	if (!source_has_bytes(source, at + 1) || (source->at[at] != '{' && source->at[at] != '['))
		return false;
	for (; at < LOOK_MAX && source_has_bytes(source, at + 1); at++) {
		char c = source->at[at];

		if (!start) {
			start = c == '"' ? at + 1 : 0;
			depth += c == '{' || c == '[';
			if ((c == '}' || c == ']') && --depth == 0)
				return false;
			continue;
		}
		at += c == '\\';
		if (c != '"')
			continue;
		struct scan string = {source->at + start, source->at + at};
		if (first && scan_is_one_of(string, others, array_len(others)))
			return false;
		if (scan_is_one_of(string, stacks, array_len(stacks)) &&
			source_has_bytes(source, at + 2) && source->at[at + 1] == ':')
			return true;
		first = false;
		start = 0;
	}
	return false;
}

bool gadget_text_starts(struct source *source, struct tool_blocks *blocks)
{
	unsigned char first = source_has(source) ? (unsigned char)*source->at : 0;
	bool yaml = first == '-';
	/* read no more lines than needed: the writer may be waiting for an answer */
	size_t len = 0, lines = yaml ? 2 : isupper(first) || first == '\033';

	for (; lines && len < LOOK_MAX && source_has_bytes(source, len + 1); len++) {
		if (!yaml && islower((unsigned char)source->at[len]))
			return false;
		lines -= source->at[len] == '\n';
	}
	return len &&
	       blocks_start(blocks, TOOL_GADGET_TEXT, (struct scan){source->at, source->at + len});
}

/* ---- one source ------------------------------------------------------------------------------ */

struct gadget {
	struct dump *dump;
	const struct input_options *options;
	struct json json;
	struct role_overrides overrides;
	bool overrides_checked;
	struct text_stack stack;
	/* the current event */
	struct entry event;
	struct VEC(struct field) fields; /* of EVENT */
	struct row row;			 /* of FIELDS */
	/* the whole source */
	uint64_t others;   /* events without a stack */
	uint64_t foreign;  /* samples whose PID is another process on this machine */
	uint64_t unpaired; /* user stacks with more or fewer symbols than addresses */
	uint64_t odd;	   /* stack entries that were not understood */
};

static void gadget_deinit(struct gadget *gadget)
{
	json_deinit(&gadget->json);
	role_overrides_deinit(&gadget->overrides);
	text_stack_deinit(&gadget->stack);
	entry_deinit(&gadget->event);
	vec_deinit(&gadget->fields);
}

/* ---- fields ---- */

static const struct field *find(const struct gadget *gadget, const char *name)
{
	return row_field(&gadget->row, name);
}

/* Returns the field NAME with the same parent as BESIDE, or NULL. */
static const struct field *find_beside(
	const struct gadget *gadget, const struct field *beside, const char *name)
{
	size_t len = (size_t)(field_last_name(beside) - beside->name);

	vec_each(field, &gadget->fields)
		if (!strncmp(field->name, beside->name, len) && !strcmp(field->name + len, name))
			return field;
	return NULL;
}

/* Returns the process or thread ID in FIELD. -1 if FIELD is NULL or has none. */
static int64_t id_of(const struct field *field)
{
	return field && field->kind == FIELD_NUMBER && field->number && field->number <= INT32_MAX
		       ? (int64_t)field->number
		       : -1;
}

/*
 * Returns a field of the user stack, or NULL. Columns may be left out, so it is the first with
 * addresses, else with build IDs, else with symbols.
 */
static const struct field *find_user(const struct gadget *gadget)
{
	static const char *const names[] = {"addresses", "buildid", "symbols"};

	for (size_t n = 0; n < array_len(names); n++)
		vec_each(field, &gadget->fields)
			if (strchr(field->name, '.') && !strcmp(field_last_name(field), names[n]))
				return field;
	return NULL;
}

/* ---- stacks ---- */

/* Reads the next entry, and consumes its semicolon. Returns false at the end. */
static bool next_entry(struct scan *s, struct scan *ret)
{
	size_t depth = 0;

	scan_blanks(s);
	if (!scan_left(s))
		return false;
	ret->at = s->at;
	/* names in Rust may have `[u8; 4]` */
	for (; scan_left(s) && (*s->at != ';' || depth); s->at++) {
		depth += *s->at == '[';
		depth -= *s->at == ']' && depth;
	}
	ret->end = s->at;
	(void)scan_char(s, ';');
	return true;
}

/*
 * Adds what TOOL's rows match in the entries of FIELD, which may be NULL or a number, to the frames
 * from FIRST on. Returns the number of entries.
 */
static size_t read_entries(
	struct gadget *gadget, enum block_tool tool, const struct field *field, size_t first)
{
	struct text_stack *stack = &gadget->stack;
	struct pattern_match match;
	struct scan entry;
	size_t n = 0;

	if (!field || !field->bytes)
		return 0;
	struct scan s = {field->bytes, field->bytes + field->len};
	for (; next_entry(&s, &entry); n++) {
		struct tool_frame part = {};

		if (first + n == stack->frames.len)
			(void)vec_add(&stack->frames);
		if (text_stack_line(stack, tool, entry, &part, &match) == LINE_START) {
			gadget->odd++;
			continue;
		}
		struct tool_frame *frame = &stack->frames.data[first + n];
		frame->name = part.name ?: frame->name;
		if (tool == TOOL_GADGET_ADDRESS || (part.address && !frame->has_address)) {
			frame->address = part.address;
			frame->has_address = true;
		}
		if (part.has_file_offset) {
			frame->build_id = part.build_id;
			frame->file_offset = part.file_offset;
			frame->has_file_offset = true;
		}
	}
	return n;
}

static void read_user(struct gadget *gadget, const struct field *user)
{
	const struct field *symbols = find_beside(gadget, user, "symbols");
	size_t names = read_entries(gadget, TOOL_GADGET_SYMBOL, symbols, 0);
	size_t n = read_entries(
		gadget, TOOL_GADGET_ADDRESS, find_beside(gadget, user, "addresses"), 0);

	/* a profiler that unwinds interpreters adds frames of its own */
	if (n && names && n != names) {
		gadget->unpaired++;
		gadget->stack.frames.len = 0;
		(void)read_entries(gadget, TOOL_GADGET_SYMBOL, symbols, 0);
	} else {
		(void)read_entries(gadget, TOOL_GADGET_ID, find_beside(gadget, user, "buildid"), 0);
	}
}

/* ---- events ---- */

/*
 * Returns true if the sample's PID is another process here, as its mount namespace, comm or code at
 * the first N_USER frames shows: the event may be from another machine (kubectl), or the PID may
 * have been reused. Nothing may be looked up in such a process.
 */
static bool is_foreign(struct gadget *gadget, const struct sample *sample, size_t n_user)
{
	const struct input_processes *processes = gadget->options->processes;
	const struct field *field = find(gadget, "proc.mntns_id")
					    ?: find(gadget, "mntns_id")
					    ?: find(gadget, "mntnsid");
	bool unnamed = false;

	if (!processes || sample->pid < 0)
		return false;
	uint64_t there = processes->mount_namespace(processes->context, sample->pid);
	if (there && field && field->kind == FIELD_NUMBER && field->number &&
		field->number != there)
		return true;
	struct stack user =
		text_stack_addresses(&gadget->stack, gadget->stack.frames.data, n_user, &unnamed);
	return unnamed && processes->fit(processes->context, sample->pid, &user, sample->comm) ==
				  PROCESS_MISFIT;
}

static struct error *find_weight(struct gadget *gadget, const char *position, uint64_t *weight_ret)
{
	const struct row *row = &gadget->row;
	const char *given = roles_given(&gadget->overrides, ROLE_WEIGHT);
	const struct field *field = find(gadget, "samples");

	if (!gadget->overrides_checked)
		try(roles_check(row, &gadget->overrides, position));
	gadget->overrides_checked = true;
	if (given) {
		size_t at = field_by_path(row, given);

		field = at == ROLE_NO_FIELD ? NULL : &row->fields[at];
	}
	*weight_ret = field && field->kind == FIELD_NUMBER && field->number <= INT64_MAX
			      ? field->number
			      : !given;
	return NULL;
}

static struct error *give(struct gadget *gadget, const char *position)
{
	const struct field *user = find_user(gadget),
			   *kernel = find(gadget, "kstack") ?: find(gadget, "kern_stack"),
			   *comm = find(gadget, "proc.comm") ?: find(gadget, "comm");
	struct text_stack *stack = &gadget->stack;

	if (!user && !kernel) {
		gadget->others++;
		return NULL;
	}
	struct sample sample = {.position = position,
		.pid = id_of(user ? find_beside(gadget, user, "tgid_level0") : NULL),
		.tid = id_of(find(gadget, "proc.tid") ?: find(gadget, "tid")),
		.comm = comm && comm->len ? comm->bytes : NULL};
	/* if the stack does not give its own process, take the event's */
	if (sample.pid < 0)
		sample.pid = id_of(find(gadget, "proc.pid") ?: find(gadget, "pid"));
	if (sample.pid < 0)
		sample.pid = gadget->options->pid;
	try(find_weight(gadget, position, &sample.weight));
	text_stack_clear(stack);
	if (user)
		read_user(gadget, user);
	size_t n_user = stack->frames.len;
	(void)read_entries(gadget, TOOL_GADGET_SYMBOL, kernel, n_user);
	vec_each(frame, &stack->frames) {
		frame->kernel = frame >= stack->frames.data + n_user;
		text_stack_add(stack, frame);
	}
	if (is_foreign(gadget, &sample, n_user)) {
		gadget->foreign++;
		sample.pid = sample.tid = -1;
	}
	return sample.weight ? text_stack_give(stack, &sample) : NULL;
}

/* Reads an event, whose brace was read. If the JSON is malformed, its next token is an error. */
static struct error *read_event(struct gadget *gadget)
{
	struct entry *event = &gadget->event;
	auto_free char *position = json_position(&gadget->json, gadget->json.start);

	gadget->json.item = gadget->json.start;
	gadget->fields.len = 0;
	entry_clear(event);
	if (!formatted_value(&gadget->json, JSON_OBJECT, event, 0, ""))
		return NULL;
	if (event->too_large) {
		dump_warn(gadget->dump, "%s: event skipped: larger than the limit", position);
		return NULL;
	}
	vec_each(field, &event->fields)
		vec_push(&gadget->fields, field->field);
	gadget->row = (struct row){gadget->fields.data, gadget->fields.len};
	return event->fields.len ? give(gadget, position) : NULL;
}

/*
 * Returns true if another document follows. It may be an empty array, if nothing was counted in an
 * interval.
 */
static bool has_more(struct source *source)
{
	size_t at = 0;

	while (source_has_bytes(source, at + 1) && memchr("\r\n", source->at[at], 2))
		at++;
	if (!at || !source_has_bytes(source, at + 2) ||
		(memcmp(source->at + at, "[]", 2) && !gadget_json_starts(source, at)))
		return false;
	source->at += at;
	return true;
}

static void report(struct dump *dump, uint64_t n, const char *what)
{
	if (n)
		dump_warn(dump, "%s: %s: %" PRIu64, dump->source->name, what, n);
}

struct error *gadget_json_read(
	struct dump *dump, const struct input_options *options, struct tool_blocks *blocks)
{
	scope_guard(gadget_deinit) struct gadget gadget = {.dump = dump,
		.options = options,
		.stack = {.source = SOURCE_GADGET, .dump = dump, .blocks = blocks}};
	struct json *json = &gadget.json;
	enum json_token token = JSON_END;
	struct error *error = NULL;

	try(dump_goes_live(dump));
	collector_samples_count(dump->collector);
	try(role_overrides_parse(options->key_fields, &gadget.overrides));
	do {
		json_deinit(json);
		json_init(json, dump->source, false);
		while (!error && (token = json_next(json)) != JSON_END && token != JSON_ERROR)
			if (token == JSON_OBJECT)
				error = read_event(&gadget);
	} while (!error && token == JSON_END && has_more(dump->source));
	if (!error && token == JSON_ERROR)
		dump_json_problem(dump, json, "object", "what follows is skipped");
	report(dump, gadget.others,
		"events without a stack (see the gadget's --collect-ustack and --fields)");
	report(dump, gadget.foreign,
		"user stacks not looked up: the process with this ID here differs in mount "
		"namespace, comm or code, so the traced process has exited or is on another "
		"machine");
	report(dump, gadget.unpaired,
		"user stacks with more or fewer symbols than addresses: their symbols are used");
	report(dump, gadget.odd, "entries of stacks that are not understood");
	return error;
}
