// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/bpftrace_key.h"

#include <inttypes.h>
#include <string.h>

#include "input/roles/role_check.h"
#include "util/cleanup.h"
#include "util/text.h"

enum {
	COMM_MAX = 15, /* bytes */
	NUMBERS_MAX = 8,
};

void bpftrace_key_deinit(struct bpftrace_key *key)
{
	for (size_t i = 0; i < BPFTRACE_PARTS_MAX; i++)
		vec_deinit(&key->parts[i].frames);
	arena_deinit(&key->memory);
}

void bpftrace_key_clear(struct bpftrace_key *key)
{
	key->n = 0;
	key->too_many = false;
	arena_clear(&key->memory);
}

void bpftrace_key_text(struct bpftrace_key *key, struct scan text)
{
	if (key->n == BPFTRACE_PARTS_MAX) {
		key->too_many = true;
		key->n--;
	}
	struct key_part *part = &key->parts[key->n++];
	part->frames.len = 0;
	part->is_stack = !scan_left(&text);
	part->text = arena_copy(&key->memory, text.at, scan_left(&text));
}

void bpftrace_key_stack(struct bpftrace_key *key)
{
	bpftrace_key_text(key, (struct scan){});
}

/* ---- frames ---- */

static struct scan keep(struct bpftrace_key *key, struct scan s)
{
	const char *copy = arena_copy(&key->memory, s.at, scan_left(&s));

	return (struct scan){copy, copy + scan_left(&s)};
}

bool bpftrace_key_frame(struct bpftrace_key *key, struct scan line, bool joined)
{
	struct key_part *part = key->n ? &key->parts[key->n - 1] : NULL;
	struct pattern_match match;
	enum line_act act;

	if (!part || !part->is_stack)
		return false;
	if (part->frames.len == TEXT_STACK_FRAMES_MAX) {
		key->too_many = true;
		return true;
	}
	if (!blocks_line(key->blocks, joined ? TOOL_BPFTRACE_JOINED : TOOL_BPFTRACE,
		    keep(key, line), &act, &match))
		return false;
	vec_push(&part->frames, tool_frame_of(&match));
	return true;
}

/* ---- what the parts are ---- */

enum address_side bpftrace_part_side(
	const struct bpftrace_reading *reading, const struct key_part *part)
{
	const struct address_halves *halves = &reading->options->halves;

	if (reading->dump->role == INPUT_USER_STACKS || reading->dump->role == INPUT_KERNEL_STACKS)
		return reading->dump->role == INPUT_USER_STACKS ? SIDE_USER : SIDE_KERNEL;
	for (size_t i = 0; i < part->frames.len; i++) {
		const struct tool_frame *frame = &part->frames.data[i];
		enum address_side side =
			frame->has_address ? address_side_in(halves, frame->address) : SIDE_UNKNOWN;

		if (frame->build_id.len || scan_left(&frame->object))
			side = SIDE_USER;
		if (side == SIDE_UNKNOWN)
			side = tool_side_of_name(frame->name);
		if (side != SIDE_UNKNOWN)
			return side;
	}
	return SIDE_UNKNOWN;
}

struct part_roles {
	size_t user, kernel, pid, comm; /* ROLE_NO_FIELD: none */
	bool undecided;			/* two stacks of unknown sides */
	struct roles given;
};

static struct field part_field(struct bpftrace_key *key, size_t i)
{
	const struct key_part *part = &key->parts[i];
	struct text name = {};

	text_printf(&name, "key.%zu", i);
	struct field field = {.name = arena_string(&key->memory, name.data),
		.kind = part->is_stack ? FIELD_WORDS : FIELD_TEXT,
		.bytes = part->text,
		.len = strlen(part->text)};
	text_deinit(&name);
	if (!part->is_stack && scan_whole_number(part->text, &field.number))
		field.kind = FIELD_NUMBER;
	return field;
}

/* Maps have other parts each: an option is met if it names a part of one of them. */
static void given_roles(struct bpftrace_reading *reading, struct bpftrace_key *key,
	struct field *fields, const char *position, struct roles *ret)
{
	for (size_t i = 0; i < key->n; i++)
		fields[i] = part_field(key, i);
	const struct row row = {fields, key->n};

	for (enum role role = 0; role < ROLE_COUNT; role++)
		ret->field[role] = ROLE_NO_FIELD;
	for (size_t i = 0; i < reading->overrides.all.len; i++) {
		struct role_override *override = &reading->overrides.all.data[i];
		size_t field = field_by_path(&row, override->field);

		if (field == ROLE_NO_FIELD || !role_fits(override->role, &fields[field]))
			continue;
		override->met = true;
		ret->field[override->role] = field;
	}
	if (!reading->unmet)
		reading->unmet = roles_check(&row, &reading->overrides, position);
}

/* Which stack is whose. */
static void find_stacks(
	struct bpftrace_reading *reading, const struct bpftrace_key *key, struct part_roles *roles)
{
	size_t unknown = ROLE_NO_FIELD, n_unknown = 0;

	for (size_t i = 0; i < key->n; i++) {
		enum address_side side = bpftrace_part_side(reading, &key->parts[i]);

		if (!key->parts[i].is_stack || !key->parts[i].frames.len || i == roles->user ||
			i == roles->kernel)
			continue;
		if (side == SIDE_USER && roles->user == ROLE_NO_FIELD)
			roles->user = i;
		else if (side == SIDE_KERNEL && roles->kernel == ROLE_NO_FIELD)
			roles->kernel = i;
		else if (side == SIDE_UNKNOWN && !n_unknown++)
			unknown = i;
	}
	if (n_unknown == 1 && roles->user == ROLE_NO_FIELD)
		roles->user = unknown;
	else if (n_unknown == 1 && roles->kernel == ROLE_NO_FIELD)
		roles->kernel = unknown;
	else
		roles->undecided = n_unknown > 0;
}

static void find_comm(
	const struct bpftrace_key *key, const struct field *fields, struct part_roles *roles)
{
	size_t found = ROLE_NO_FIELD;

	for (size_t i = 0; i < key->n; i++) {
		if (fields[i].kind != FIELD_TEXT || !fields[i].len)
			continue;
		if (found != ROLE_NO_FIELD)
			return;
		found = i;
	}
	if (found != ROLE_NO_FIELD && fields[found].len <= COMM_MAX &&
		!memchr(fields[found].bytes, ':', fields[found].len))
		roles->comm = found;
}

/*
 * The process whose code is at the addresses of USER, among the numbers; none where several are. RET_ENDED: the parts
 * that are numbers of no process or thread, as bits.
 */
static int64_t find_process(struct bpftrace_reading *reading, const struct bpftrace_key *key,
	const struct field *fields, const struct stack *user, uint64_t *ret_ended)
{
	const struct input_processes *processes = reading->options->processes;
	int64_t found = -1;

	if (!processes || user->state != STACK_PRESENT)
		return -1;
	for (size_t i = 0, numbers = 0; i < key->n && numbers < NUMBERS_MAX; i++) {
		int64_t number = (int64_t)fields[i].number;

		if (fields[i].kind != FIELD_NUMBER || number <= 0 || number > INT32_MAX)
			continue;
		numbers++;
		int64_t process = processes->of_thread(processes->context, number);
		if (process < 0)
			*ret_ended |= 1ULL << i;
		if (processes->fit(processes->context, number, user, NULL) != PROCESS_FITS ||
			processes->fitting_child(processes->context, number, user, NULL) >= 0 ||
			processes->had_children(processes->context, number))
			continue;
		reading->processes |= 1ULL << i;
		if (found >= 0 && process != found)
			return -1;
		found = process;
	}
	return found;
}

/* The addresses alone, which say whose they can be. */
static struct stack bare_addresses(struct arena *memory, const struct key_part *part)
{
	uint64_t *values = arena_alloc(memory, (part->frames.len + 1) * sizeof(*values));
	struct stack stack = {.state = STACK_PRESENT, .id = -1, .values = values};

	for (size_t i = 0; i < part->frames.len; i++)
		if (part->frames.data[i].has_address && part->frames.data[i].address)
			values[stack.depth++] = part->frames.data[i].address;
	if (!stack.depth)
		stack.state = STACK_ABSENT;
	return stack;
}

static void add_stack(
	struct bpftrace_reading *reading, const struct bpftrace_key *key, size_t part, bool kernel)
{
	if (part == ROLE_NO_FIELD)
		return;
	for (size_t i = 0; i < key->parts[part].frames.len; i++)
		text_stack_add(&reading->stack, &key->parts[part].frames.data[i], kernel);
}

bool bpftrace_key_has_stack(const struct bpftrace_key *key)
{
	for (size_t i = 0; i < key->n; i++)
		if (key->parts[i].is_stack)
			return true;
	return false;
}

/* Says of samples whose processes are in known parts of their keys that these have exited. */
static void settle_ended(struct bpftrace_reading *reading)
{
	if (!reading->processes)
		return;
	for (size_t i = 0; i < reading->ended.len; i++)
		if (!(reading->processes & ~reading->ended.data[i].parts))
			collector_sample_ended(
				reading->dump->collector, reading->ended.data[i].number);
	reading->ended.len = 0;
}

/* Samples are given whose side nobody knows: lost on both. */
static struct error *give_undecided(struct bpftrace_reading *reading, struct sample *sample)
{
	sample->user = sample->kernel = (struct stack){.state = STACK_LOST_SIDE,
		.id = -1,
		.fix = "say which part of the key it is, as in --key user=key.0,kernel=key.1"};
	reading->dump->used++;
	return collector_sample(reading->dump->collector, sample);
}

/* KEY has a stack. SURE: its parts are certain to be those that stand there. */
static struct error *give_sample(struct bpftrace_reading *reading, struct bpftrace_key *key,
	uint64_t weight, bool sure, const char *position)
{
	struct field fields[BPFTRACE_PARTS_MAX];
	struct sample sample = {.pid = -1, .tid = -1, .weight = weight, .position = position};
	struct part_roles roles = {};
	uint64_t ended = 0;

	if (key->too_many) {
		dump_warn(reading->dump, "%s: a key with more than %d parts, or %d frames: skipped",
			position, BPFTRACE_PARTS_MAX, TEXT_STACK_FRAMES_MAX);
		return NULL;
	}
	given_roles(reading, key, fields, position, &roles.given);
	roles.user = roles.given.field[ROLE_USER];
	roles.kernel = roles.given.field[ROLE_KERNEL];
	roles.comm = roles.given.field[ROLE_COMM];
	roles.pid = roles.given.field[ROLE_PID];
	find_stacks(reading, key, &roles);
	if (roles.comm == ROLE_NO_FIELD && sure)
		find_comm(key, fields, &roles);
	if (roles.comm != ROLE_NO_FIELD)
		sample.comm = fields[roles.comm].bytes;
	if (roles.pid != ROLE_NO_FIELD && sure && fields[roles.pid].number <= INT32_MAX)
		sample.pid = (int64_t)fields[roles.pid].number;
	else if (roles.user != ROLE_NO_FIELD && sure) {
		struct stack user = bare_addresses(&key->memory, &key->parts[roles.user]);

		sample.pid = find_process(reading, key, fields, &user, &ended);
	}
	if (sample.pid < 0)
		sample.pid = reading->options->pid;
	if (sample.pid < 0 && ended)
		vec_push(&reading->ended,
			(struct ended_sample){collector_samples(reading->dump->collector), ended});
	if (roles.undecided)
		return give_undecided(reading, &sample);
	text_stack_clear(&reading->stack);
	add_stack(reading, key, roles.user, false);
	add_stack(reading, key, roles.kernel, true);
	return text_stack_give(&reading->stack, reading->dump, &sample);
}

/* The first counts of a map, whose keys have N parts. */
static void begin_map(struct bpftrace_reading *reading, size_t n)
{
	const struct text *map = reading->map;

	reading->parts = n;
	reading->processes = 0;
	reading->ended.len = 0;
	if (!map->len)
		return;
	if (!reading->first.len)
		text_add(&reading->first, map->data, map->len);
	else if (!reading->other.len && strcmp(reading->first.data, map->data))
		text_add(&reading->other, map->data, map->len);
}

struct error *bpftrace_entry(struct bpftrace_reading *reading, struct bpftrace_key *key,
	uint64_t weight, const char *position)
{
	if (!reading->parts)
		begin_map(reading, key->n);
	bool sure = reading->parts == key->n;
	reading->differing += !sure;
	if (weight)
		try(give_sample(reading, key, weight, sure, position));
	settle_ended(reading);
	return NULL;
}

struct error *bpftrace_printed(
	struct bpftrace_reading *reading, struct bpftrace_key *key, const char *position)
{
	struct error *error = NULL;
	size_t n = key->n, taken;

	for (size_t i = 0; i < n && !error; i += taken) {
		struct key_part *part = key->parts + i;
		bool pair =
			i + 1 < n && (bpftrace_part_side(reading, part) == SIDE_KERNEL) !=
					     (bpftrace_part_side(reading, part + 1) == SIDE_KERNEL);

		taken = pair ? 2 : 1;
		for (size_t j = 0; j < taken; j++) {
			struct key_part other = key->parts[j];

			key->parts[j] = part[j];
			part[j] = other;
		}
		key->n = taken;
		error = give_sample(reading, key, 1, true, position);
	}
	key->n = 0;
	return error;
}

struct error *bpftrace_reading_init(
	struct bpftrace_reading *reading, struct dump *dump, const struct input_options *options)
{
	*reading = (struct bpftrace_reading){
		.dump = dump, .options = options, .stack = {.source = SOURCE_BPFTRACE}};
	collector_samples_count(dump->collector);
	return role_overrides_parse(options->key_fields, &reading->overrides);
}

struct error *bpftrace_reading_end(struct bpftrace_reading *reading)
{
	if (reading->differing)
		dump_warn(reading->dump,
			"%s: %" PRIu64
			" keys have not as many parts as others of their map: a text may "
			"hold a comma, so their numbers and texts are not used",
			reading->dump->source->name, reading->differing);
	if (reading->other.len)
		dump_warn(reading->dump,
			"%s: counts of several maps (%s, %s) are added up; pass one map at a time "
			"where they count different things",
			reading->dump->source->name, reading->first.data, reading->other.data);
	for (size_t i = 0; reading->unmet && i < reading->overrides.all.len; i++)
		if (!reading->overrides.all.data[i].met)
			return take(reading->unmet);
	return NULL;
}

void bpftrace_reading_deinit(struct bpftrace_reading *reading)
{
	error_destroy(reading->unmet);
	role_overrides_deinit(&reading->overrides);
	text_stack_deinit(&reading->stack);
	vec_deinit(&reading->ended);
	text_deinit(&reading->first);
	text_deinit(&reading->other);
}
