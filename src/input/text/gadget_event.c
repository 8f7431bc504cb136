// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/gadget_event.h"

#include <inttypes.h>
#include <string.h>

#include "input/processes.h"
#include "input/roles/role_check.h"

enum {
	FIELDS_MAX = 512,     /* of an event */
	MEMORY_MAX = 4 << 20, /* bytes of its names and texts */
};

/* The texts of a stack, read side by side. */
struct gadget_stack {
	struct scan addresses, build_ids, symbols;
};

struct error *gadget_events_init(struct gadget_events *events, struct dump *dump,
	const struct input_options *options, struct tool_blocks *blocks)
{
	*events = (struct gadget_events){.dump = dump,
		.options = options,
		.blocks = blocks,
		.stack = {.source = SOURCE_GADGET}};
	return role_overrides_parse(options->key_fields, &events->overrides);
}

void gadget_events_deinit(struct gadget_events *events)
{
	role_overrides_deinit(&events->overrides);
	text_stack_deinit(&events->stack);
	arena_deinit(&events->memory);
	vec_deinit(&events->fields);
}

void gadget_event_drop(struct gadget_events *events)
{
	arena_clear(&events->memory);
	events->fields.len = events->bytes = 0;
}

void gadget_field(struct gadget_events *events, struct scan name, struct scan value, bool number)
{
	size_t size = scan_left(&name) + scan_left(&value);

	if (events->fields.len >= FIELDS_MAX || size > MEMORY_MAX ||
		events->bytes > MEMORY_MAX - size)
		return;
	events->bytes += size;
	struct field field = {.name = arena_copy(&events->memory, name.at, scan_left(&name)),
		.kind = FIELD_TEXT,
		.bytes = arena_copy(&events->memory, value.at, scan_left(&value)),
		.len = scan_left(&value)};
	if (number && field.len && scan_whole_number(field.bytes, &field.number))
		field.kind = FIELD_NUMBER;
	vec_push(&events->fields, field);
}

/* ---- fields ---- */

static const struct field *find(const struct gadget_events *events, const char *name)
{
	for (size_t i = 0; i < events->fields.len; i++)
		if (!strcmp(events->fields.data[i].name, name))
			return &events->fields.data[i];
	return NULL;
}

/* The field NAME beside BESIDE, below the same parent. */
static const struct field *find_beside(
	const struct gadget_events *events, const struct field *beside, const char *name)
{
	size_t len = (size_t)(field_last_name(beside) - beside->name);

	for (size_t i = 0; i < events->fields.len; i++) {
		const struct field *field = &events->fields.data[i];

		if (!strncmp(field->name, beside->name, len) && !strcmp(field->name + len, name))
			return field;
	}
	return NULL;
}

/* A number by one of two names; what is no process, -1. */
static int64_t find_id(const struct gadget_events *events, const char *name, const char *other)
{
	const struct field *field = find(events, name);

	field = field ? field : find(events, other);
	return field && field->kind == FIELD_NUMBER && field->number && field->number <= INT32_MAX
		       ? (int64_t)field->number
		       : -1;
}

static struct scan text_of(const struct field *field)
{
	return field ? (struct scan){field->bytes, field->bytes + field->len} : (struct scan){};
}

/* The first field with a user stack: of addresses, or of the others where a column is not printed. */
static const struct field *find_user(const struct gadget_events *events)
{
	static const char *const names[] = {GADGET_ADDRESSES, "buildid", "symbols"};

	for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
		for (size_t i = 0; i < events->fields.len; i++) {
			const struct field *field = &events->fields.data[i];

			if (strchr(field->name, '.') && !strcmp(field_last_name(field), names[n]))
				return field;
		}
	return NULL;
}

/* ---- stacks ---- */

/* `[0]` before an entry */
static void skip_index(struct scan *s)
{
	struct scan at = *s;
	uint64_t number;

	if (scan_char(&at, '[') && scan_decimal(&at, &number) && scan_char(&at, ']'))
		*s = at;
}

/* Reads the next entry up to `; `, without its number. Returns false at the end. */
static bool next_entry(struct scan *s, struct scan *ret)
{
	size_t depth = 0;

	scan_blanks(s);
	if (!scan_left(s))
		return false;
	skip_index(s);
	ret->at = s->at;
	/* Rust writes `[u8; 4]`. */
	for (; scan_left(s) && (*s->at != ';' || depth); s->at++) {
		depth += *s->at == '[';
		depth -= *s->at == ']' && depth;
	}
	ret->end = s->at;
	(void)scan_char(s, ';');
	return true;
}

static size_t count_entries(struct scan s)
{
	struct scan entry;
	size_t n = 0;

	while (next_entry(&s, &entry))
		n++;
	return n;
}

/* What TOOL's rows find in an entry of a stack; empty texts have nothing. */
static struct tool_frame parse(
	struct gadget_events *events, enum block_tool tool, struct scan *entries)
{
	struct pattern_match match;
	enum line_act act;
	struct scan entry;

	if (!next_entry(entries, &entry))
		return (struct tool_frame){};
	if (!blocks_line(events->blocks, tool, entry, &act, &match)) {
		events->odd++;
		return (struct tool_frame){};
	}
	return tool_frame_of(&match);
}

/* N entries of each text, the shorter ones as far as they go, are a frame each. */
static void add_frames(struct gadget_events *events, struct gadget_stack stack, size_t n)
{
	for (; n; n--) {
		struct tool_frame frame = parse(events, TOOL_GADGET_ADDRESS, &stack.addresses),
				  place = parse(events, TOOL_GADGET_ID, &stack.build_ids);

		frame.build_id = place.build_id;
		frame.file_offset = place.file_offset;
		frame.has_file_offset = place.has_file_offset;
		if (!frame.has_address && place.address) {
			frame.address = place.address;
			frame.has_address = true;
		}
		frame.name = parse(events, TOOL_GADGET_SYMBOL, &stack.symbols).name;
		text_stack_add(&events->stack, &frame, false);
	}
}

static void add_user(struct gadget_events *events, struct gadget_stack stack)
{
	size_t n = count_entries(stack.addresses), ids = count_entries(stack.build_ids);
	size_t symbols = count_entries(stack.symbols);

	/* A profiler that sees interpreters has frames of its own. */
	if (n && symbols && n != symbols) {
		events->unpaired++;
		stack.addresses = stack.build_ids = (struct scan){};
		n = ids = 0;
	}
	n = n > ids ? n : ids;
	add_frames(events, stack, n > symbols ? n : symbols);
}

static void add_kernel(struct gadget_events *events, struct scan s)
{
	for (size_t n = count_entries(s); n; n--) {
		struct tool_frame frame = parse(events, TOOL_GADGET_SYMBOL, &s);

		text_stack_add(&events->stack, &frame, true);
	}
}

/* ---- events ---- */

/* The addresses of the stack that are to be looked up in the process; true: there are some. */
static bool bare_addresses(struct gadget_events *events, struct stack *ret)
{
	const struct slots *slots = &events->stack.user.all;
	uint64_t *values = arena_alloc(&events->memory, (slots->values.len + 1) * sizeof(*values));
	bool any = false;

	*ret = (struct stack){.state = STACK_PRESENT, .id = -1, .values = values};
	for (size_t i = 0; i < slots->values.len; i++) {
		if (slots->origins.data[i].build_id.len || !slots->values.data[i])
			continue;
		values[ret->depth++] = slots->values.data[i];
		any |= !slots->known.data[i];
	}
	return any;
}

/*
 * A number is not yet a process: the event may be of another machine (kubectl), or the number is used again. Where
 * the mount namespace, comm or code are others, nothing is looked up in it.
 */
static bool is_foreign(struct gadget_events *events, const struct sample *sample)
{
	const struct input_processes *processes = events->options->processes;
	const struct field *field = find(events, "proc.mntns_id");
	struct stack user;

	if (!processes || sample->pid < 0)
		return false;
	field = field ? field : find(events, "mntns_id");
	field = field ? field : find(events, "mntnsid");
	uint64_t there = processes->mount_namespace(processes->context, sample->pid);
	if (there && field && field->kind == FIELD_NUMBER && field->number &&
		field->number != there)
		return true;
	return bare_addresses(events, &user) && processes->fit(processes->context, sample->pid,
							&user, sample->comm) == PROCESS_MISFIT;
}

static struct error *find_weight(
	struct gadget_events *events, const char *position, uint64_t *weight_ret)
{
	const struct row row = {events->fields.data, events->fields.len};
	const char *given = roles_given_field(&events->overrides, ROLE_WEIGHT);
	const struct field *field = find(events, "samples");

	if (!events->overrides_checked)
		try(roles_check(&row, &events->overrides, position));
	events->overrides_checked = true;
	if (given) {
		size_t at = field_by_path(&row, given);

		field = at == ROLE_NO_FIELD ? NULL : &row.fields[at];
	}
	*weight_ret = field && field->kind == FIELD_NUMBER && field->number <= INT64_MAX
			      ? field->number
			      : !given;
	return NULL;
}

/* The process of the stack itself, where the event says so; else that of the event. */
static void find_process(
	const struct gadget_events *events, const struct field *user, struct sample *sample)
{
	const struct field *stack = user ? find_beside(events, user, "tgid_level0") : NULL;
	const struct field *comm = find(events, "proc.comm");

	sample->pid =
		stack && stack->kind == FIELD_NUMBER && stack->number && stack->number <= INT32_MAX
			? (int64_t)stack->number
			: find_id(events, "proc.pid", "pid");
	sample->tid = find_id(events, "proc.tid", "tid");
	if (sample->pid < 0)
		sample->pid = events->options->pid;
	comm = comm ? comm : find(events, "comm");
	sample->comm = comm && comm->len ? comm->bytes : NULL;
}

static void add_stacks(
	struct gadget_events *events, const struct field *user, const struct field *kernel)
{
	text_stack_clear(&events->stack);
	if (user)
		add_user(events,
			(struct gadget_stack){text_of(find_beside(events, user, GADGET_ADDRESSES)),
				text_of(find_beside(events, user, "buildid")),
				text_of(find_beside(events, user, "symbols"))});
	add_kernel(events, text_of(kernel));
}

static struct error *give(struct gadget_events *events, const char *position)
{
	const struct field *user = find_user(events), *kernel = find(events, "kstack");
	struct sample sample = {.position = position};

	kernel = kernel ? kernel : find(events, "kern_stack");
	if (!user && !kernel) {
		events->others++;
		return NULL;
	}
	try(find_weight(events, position, &sample.weight));
	find_process(events, user, &sample);
	add_stacks(events, user, kernel);
	if (is_foreign(events, &sample)) {
		events->foreign++;
		sample.pid = sample.tid = -1;
	}
	return sample.weight ? text_stack_give(&events->stack, events->dump, &sample) : NULL;
}

struct error *gadget_event_end(struct gadget_events *events, const char *position)
{
	struct error *error = events->fields.len ? give(events, position) : NULL;

	gadget_event_drop(events);
	return error;
}

void gadget_events_report(struct gadget_events *events)
{
	const struct {
		uint64_t n;
		const char *what;
	} all[] = {
		{events->others,
			"events without the field of a stack (--collect-ustack, --fields)"},
		{events->foreign,
			"user stacks that are not looked up, because the process of their number here has "
			"another mount namespace, comm or code: of another machine, or gone"},
		{events->unpaired,
			"user stacks whose symbols are taken, because there are more or fewer than addresses"},
		{events->odd, "entries of stacks that are not understood"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].n)
			dump_warn(events->dump, "%s: %s: %" PRIu64, events->dump->source->name,
				all[i].what, all[i].n);
}
