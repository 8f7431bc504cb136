// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/bpftrace_key.h"

#include <inttypes.h>
#include <string.h>

#include "input/lists/addresses.h"
#include "input/processes.h"
#include "input/roles/bpftrace_stack.h"
#include "util/cleanup.h"
#include "util/text.h"

enum {
	COMM_MAX = 15,		  /* bytes */
	DIFFERENT_MAX = 1 << 16,  /* ignore further different numbers of a map */
	CANDIDATES_MAX = 1 << 17, /* of samples that wait for a process */
	NAME_SHOWN = 60,	  /* bytes of a map's name */
};

struct error *bpftrace_init(struct bpftrace *bpftrace, struct dump *dump,
	const struct input_options *options, struct tool_blocks *blocks)
{
	*bpftrace = (struct bpftrace){.dump = dump,
		.options = options,
		.stack = {.source = SOURCE_BPFTRACE, .dump = dump, .blocks = blocks}};
	/* so that sums from its address are valid for stacks without frames too */
	vec_reserve(&bpftrace->stack.frames, 1);
	try(dump_goes_live(dump));
	collector_samples_count(dump->collector);
	return role_overrides_parse(options->key_fields, &bpftrace->overrides);
}

void bpftrace_deinit(struct bpftrace *bpftrace)
{
	error_destroy(bpftrace->unmet);
	role_overrides_deinit(&bpftrace->overrides);
	text_stack_deinit(&bpftrace->stack);
	vec_deinit(&bpftrace->candidates);
	table_deinit(&bpftrace->numbers);
	text_deinit(&bpftrace->key);
	text_deinit(&bpftrace->map);
	text_deinit(&bpftrace->first);
	text_deinit(&bpftrace->other);
}

/* ---- parts ---- */

static void clear_key(struct bpftrace *bpftrace)
{
	bpftrace->n = 0;
	bpftrace->in_stack = bpftrace->too_many = false;
	text_stack_clear(&bpftrace->stack);
}

/* Adds a part. If TEXT is empty, it is a stack, still without frames. */
static void add_part(struct bpftrace *bpftrace, struct scan text)
{
	if (bpftrace->n == BPFTRACE_PARTS_MAX) {
		bpftrace->too_many = true;
		bpftrace->n--;
	}
	size_t i = bpftrace->n++;
	struct field *part = &bpftrace->parts[i];
	*part = (struct field){.name = arena_printf(&bpftrace->stack.memory, "key.%zu", i),
		.kind = scan_left(&text) ? FIELD_TEXT : FIELD_WORDS,
		.bytes = arena_copy(&bpftrace->stack.memory, text.at, scan_left(&text)),
		.len = scan_left(&text)};
	if (part->len && scan_whole_number(part->bytes, &part->number))
		part->kind = FIELD_NUMBER;
	bpftrace->stacks[i].first = bpftrace->stack.frames.len;
	bpftrace->stacks[i].n = 0;
}

/*
 * Adds the frame in LINE, as TOOL prints it, to the last part, a stack. Returns false if LINE is
 * not a frame.
 */
static bool add_frame(struct bpftrace *bpftrace, enum block_tool tool, struct scan line)
{
	size_t *n = &bpftrace->stacks[bpftrace->n - 1].n;
	struct pattern_match match;
	struct tool_frame frame;

	if (*n == TEXT_STACK_FRAMES_MAX) {
		bpftrace->too_many = true;
		return true;
	}
	if (text_stack_line(&bpftrace->stack, tool, line, &frame, &match) != LINE_FRAME)
		return false;
	vec_push(&bpftrace->stack.frames, frame);
	++*n;
	return true;
}

bool bpftrace_key(struct bpftrace *bpftrace, struct scan key, bool json)
{
	enum block_tool tool = json && !scan_first(key, ' ') ? TOOL_BPFTRACE_JOINED : TOOL_BPFTRACE;
	struct scan line;

	clear_key(bpftrace);
	for (;;) {
		if (scan_char(&key, '\n')) { /* a stack, up to the comma after it */
			add_part(bpftrace, (struct scan){});
			while (scan_left(&key) && *key.at != ',') {
				(void)scan_to(&key, '\n', &line);
				if (!add_frame(bpftrace, tool, line))
					return false;
			}
		} else { /* another part, which has no newline */
			const char *comma = scan_find(key, json ? "," : ", ");
			struct scan part = {key.at, comma ?: key.end};

			key.at = part.end;
			if (!json && scan_first(part, '\n'))
				return false;
			add_part(bpftrace, part);
		}
		if (!scan_left(&key))
			return true;
		if (scan_char(&key, ',') && !json)
			(void)scan_char(&key, ' ');
	}
}

bool bpftrace_printed_line(struct bpftrace *bpftrace, struct scan line)
{
	if (!blocks_start(bpftrace->stack.blocks, TOOL_BPFTRACE_PRINTED, line))
		return false;
	if (!bpftrace->in_stack)
		add_part(bpftrace, (struct scan){});
	bpftrace->in_stack = true;
	return add_frame(bpftrace, TOOL_BPFTRACE, line);
}

/* ---- what the parts are ---- */

/* Returns the frames of the stack in part I. */
static struct tool_frame *frames_of(const struct bpftrace *bpftrace, size_t i)
{
	return bpftrace->stack.frames.data + bpftrace->stacks[i].first;
}

/* Returns the side of the stack in part I. SIDE_UNKNOWN if its frames do not determine it. */
static enum address_side side_of(const struct bpftrace *bpftrace, size_t i)
{
	enum input_role role = bpftrace->dump->role;

	if (role == INPUT_USER_STACKS || role == INPUT_KERNEL_STACKS)
		return role == INPUT_USER_STACKS ? SIDE_USER : SIDE_KERNEL;
	array_each(frame, frames_of(bpftrace, i), bpftrace->stacks[i].n) {
		enum address_side side = SIDE_UNKNOWN;

		if (frame->build_id.len || frame->object)
			return SIDE_USER;
		if (frame->has_address)
			side = address_side_in(&bpftrace->options->halves, frame->address);
		if (side == SIDE_UNKNOWN)
			side = frame->side_by_name;
		if (side != SIDE_UNKNOWN)
			return side;
	}
	return SIDE_UNKNOWN;
}

/*
 * Sets ROLES as --key says. Maps differ in their parts, so --key is wrong only if no key has the
 * part that it names.
 */
static void find_given(struct bpftrace *bpftrace, const char *position, size_t roles[ROLE_COUNT])
{
	const struct row row = {bpftrace->parts, bpftrace->n};

	for (enum role role = 0; role < ROLE_COUNT; role++)
		roles[role] = ROLE_NO_FIELD;
	vec_each(override, &bpftrace->overrides) {
		size_t field = field_by_path(&row, override->field);

		if (field == ROLE_NO_FIELD || !role_fits(override->role, &row.fields[field]))
			continue;
		override->met = true;
		roles[override->role] = field;
	}
	if (!bpftrace->unmet)
		bpftrace->unmet = roles_check(&row, &bpftrace->overrides, position);
}

/* Finds the user and the kernel stack. Returns false if the side of some stack is unknown. */
static bool find_stacks(const struct bpftrace *bpftrace, size_t roles[ROLE_COUNT])
{
	size_t unknown = ROLE_NO_FIELD, n_unknown = 0;

	for (size_t i = 0; i < bpftrace->n; i++) {
		if (!bpftrace->stacks[i].n || i == roles[ROLE_USER] || i == roles[ROLE_KERNEL])
			continue;
		enum address_side side = side_of(bpftrace, i);
		size_t *role = &roles[side == SIDE_USER ? ROLE_USER : ROLE_KERNEL];
		if (side == SIDE_UNKNOWN && !n_unknown++)
			unknown = i;
		else if (side != SIDE_UNKNOWN && *role == ROLE_NO_FIELD)
			*role = i;
	}
	if (!n_unknown)
		return true;
	size_t *role = &roles[roles[ROLE_USER] == ROLE_NO_FIELD ? ROLE_USER : ROLE_KERNEL];
	if (n_unknown > 1 || *role != ROLE_NO_FIELD)
		return false;
	*role = unknown;
	return true;
}

/* ---- the process ---- */

/*
 * Compares the number in part I of the key with the process of that ID. If that has code at the
 * addresses of STACK, it is evidence that the part is the process, unless one of its children,
 * which may have exited, may have run instead. If it is known, and has no code there, it is
 * evidence against. Each different number counts once. 0 is no process.
 */
static void add_candidate(struct bpftrace *bpftrace, size_t i, const struct stack *stack)
{
	const struct input_processes *processes = bpftrace->options->processes;
	struct process_part *part = &bpftrace->process_parts[i];
	int64_t number = (int64_t)bpftrace->parts[i].number;
	struct process_candidate candidate = {collector_samples(bpftrace->dump->collector), i,
		process_of_thread(processes, number), !number};
	bool fits = false, added = false;

	if (number) {
		enum process_fit fit = processes->fit(processes->context, number, stack, NULL);

		candidate.misfits = fit == PROCESS_MISFIT;
		fits = fit == PROCESS_FITS &&
		       processes->fitting_child(processes->context, number, stack, NULL) < 0 &&
		       !processes->had_children(processes->context, number);
	}
	const uint64_t key[] = {i, (uint64_t)number, fits};
	if ((fits || candidate.misfits) && bpftrace->numbers.len < DIFFERENT_MAX)
		table_at(&bpftrace->numbers, key, sizeof(key), &added);
	*(fits ? &part->fits : &part->misfits) += added;
	part->refuted |= !number;
	vec_push(&bpftrace->candidates, candidate);
}

/*
 * Returns true if part I of all keys of the map is the process: some of its numbers are processes
 * with code at the addresses, and at most as many are known processes without.
 */
static bool is_process(const struct bpftrace *bpftrace, size_t i)
{
	const struct process_part *part = &bpftrace->process_parts[i];

	return part->fits && !part->refuted && part->misfits <= part->fits;
}

/*
 * Returns the process of the sample of candidates [BEGIN, END). -1 if no part is known to be the
 * process, or if two parts are different processes.
 */
static int64_t process_of(const struct bpftrace *bpftrace, size_t begin, size_t end)
{
	int64_t found = -1, reason = -1;

	for (size_t i = begin; i < end; i++) {
		const struct process_candidate *candidate = &bpftrace->candidates.data[i];

		if (!is_process(bpftrace, candidate->part))
			continue;
		if (candidate->misfits)
			reason = SAMPLE_PID_CHANGED;
		else if (candidate->process < 0)
			reason = reason == -1 ? SAMPLE_PID_GONE : reason;
		else if (found >= 0 && candidate->process != found)
			return -1;
		else
			found = candidate->process;
	}
	return found >= 0 ? found : reason;
}

/* Sets the processes of earlier samples, once some part is known to be the process. */
static void settle_processes(struct bpftrace *bpftrace)
{
	const struct process_candidate *all = bpftrace->candidates.data;
	size_t n = bpftrace->candidates.len, known = 0;

	while (known < bpftrace->map_parts && !is_process(bpftrace, known))
		known++;
	if (known == bpftrace->map_parts && n < CANDIDATES_MAX)
		return;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && all[end].sample == all[i].sample;)
			end++;
		collector_sample_process(
			bpftrace->dump->collector, all[i].sample, process_of(bpftrace, i, end));
	}
	bpftrace->candidates.len = 0;
}

/*
 * Ends the map. If it is unknown which part of the keys is the process of the user stacks, logs the
 * options that choose one, the likeliest first. A part that is 0 is no process.
 */
static void report_unknown(struct bpftrace *bpftrace)
{
	auto_text struct text options = {};
	bool asked[BPFTRACE_PARTS_MAX] = {};

	vec_each(candidate, &bpftrace->candidates)
		asked[candidate->part] = true;
	for (int against = 0; against < 2; against++)
		for (size_t i = 0; i < bpftrace->map_parts; i++) {
			const struct process_part *part = &bpftrace->process_parts[i];

			if (asked[i] && !part->refuted && (part->misfits > part->fits) == against)
				text_printf(&options, "%s--key=pid=key.%zu",
					options.len ? ", or " : "", i);
		}
	if (options.len)
		log_add(bpftrace->dump->log, LOG_WARNING, 1,
			"%s: %s[…]: its user stacks are not looked up, because no part of the key "
			"is known to be the process ID; if one is, add %s",
			bpftrace->dump->source->name, bpftrace->map.data, options.data);
	bpftrace->candidates.len = 0;
}

/*
 * Returns the process of the key, whose user stack is in part USER: the part that is the process in
 * all keys of the map so far. If it is unknown, later keys may still show it.
 */
static int64_t find_process(struct bpftrace *bpftrace, size_t user)
{
	size_t first = bpftrace->candidates.len;
	const struct stack stack = text_stack_addresses(
		&bpftrace->stack, frames_of(bpftrace, user), bpftrace->stacks[user].n, NULL);

	if (!bpftrace->options->processes || stack.state != STACK_PRESENT)
		return -1;
	for (size_t i = 0; i < bpftrace->n; i++)
		if (bpftrace->parts[i].kind == FIELD_NUMBER &&
			bpftrace->parts[i].number <= INT32_MAX)
			add_candidate(bpftrace, i, &stack);
	int64_t process = process_of(bpftrace, first, bpftrace->candidates.len);
	if (process != -1 || bpftrace->options->pid >= 0)
		bpftrace->candidates.len = first;
	return process;
}

/* ---- samples ---- */

static void add_stack(struct bpftrace *bpftrace, size_t i, bool kernel)
{
	if (i == ROLE_NO_FIELD)
		return;
	array_each(frame, frames_of(bpftrace, i), bpftrace->stacks[i].n) {
		frame->kernel = kernel;
		text_stack_add(&bpftrace->stack, frame);
	}
}

/*
 * Passes on the sample of the key, which has a stack. SURE: the key has as many parts as the first
 * of its map, so no comma in a text has shifted them.
 */
static struct error *give_sample(
	struct bpftrace *bpftrace, uint64_t weight, bool sure, const char *position)
{
	struct sample sample = {.pid = -1, .tid = -1, .weight = weight, .position = position};
	const struct field *parts = bpftrace->parts;
	size_t roles[ROLE_COUNT];

	if (bpftrace->too_many) {
		dump_warn(bpftrace->dump,
			"%s: a key with more than %d parts, or %d frames: skipped", position,
			BPFTRACE_PARTS_MAX, TEXT_STACK_FRAMES_MAX);
		return NULL;
	}
	find_given(bpftrace, position, roles);
	bool decided = find_stacks(bpftrace, roles);
	/* the only text is the comm, if it is short enough for one */
	size_t text = only_index(i, bpftrace->n, parts[i].kind == FIELD_TEXT);
	if (sure && roles[ROLE_COMM] == ROLE_NO_FIELD && text != SIZE_MAX &&
		parts[text].len <= COMM_MAX &&
		!bpftrace_is_probe(parts[text].bytes, parts[text].len))
		roles[ROLE_COMM] = text;
	if (roles[ROLE_COMM] != ROLE_NO_FIELD)
		sample.comm = parts[roles[ROLE_COMM]].bytes;
	if (sure && roles[ROLE_PID] != ROLE_NO_FIELD && parts[roles[ROLE_PID]].number <= INT32_MAX)
		sample.pid = (int64_t)parts[roles[ROLE_PID]].number;
	else if (sure && roles[ROLE_USER] != ROLE_NO_FIELD)
		sample.pid = find_process(bpftrace, roles[ROLE_USER]);
	if (sample.pid < 0 && bpftrace->options->pid >= 0)
		sample.pid = bpftrace->options->pid;
	if (!decided) {
		sample.user = sample.kernel = (struct stack){.state = STACK_LOST_SIDE,
			.id = -1,
			.fix = "say which part of the key it is, as in --key user=key.0,kernel=key.1"};
		bpftrace->dump->used++;
		return collector_sample(bpftrace->dump->collector, &sample);
	}
	add_stack(bpftrace, roles[ROLE_USER], false);
	add_stack(bpftrace, roles[ROLE_KERNEL], true);
	return text_stack_give(&bpftrace->stack, &sample);
}

struct error *bpftrace_printed_end(struct bpftrace *bpftrace, const char *position)
{
	struct error *error = NULL;

	for (size_t left = bpftrace->n; left && !error; left -= bpftrace->n) {
		bool pair = left > 1 && (side_of(bpftrace, 0) == SIDE_KERNEL) !=
						(side_of(bpftrace, 1) == SIDE_KERNEL);

		bpftrace->n = pair ? 2 : 1;
		error = give_sample(bpftrace, 1, true, position);
		memmove(bpftrace->stacks, bpftrace->stacks + bpftrace->n,
			(left - bpftrace->n) * sizeof(*bpftrace->stacks));
	}
	clear_key(bpftrace);
	return error;
}

/* ---- maps ---- */

void bpftrace_map(struct bpftrace *bpftrace, struct scan name)
{
	if (scan_left(&name) > NAME_SHOWN)
		name.end = name.at + NAME_SHOWN;
	if (bpftrace->map.len && scan_equals(name, bpftrace->map.data))
		return;
	report_unknown(bpftrace);
	text_clear(&bpftrace->map);
	text_add_escaped(&bpftrace->map, name.at, scan_left(&name));
	bpftrace->map_parts = 0;
	bpftrace->refused = NULL;
}

static struct error *count_key(struct bpftrace *bpftrace, uint64_t weight, const char *position)
{
	const struct text *map = &bpftrace->map;

	if (!bpftrace->map_parts) { /* the map's first count */
		bpftrace->map_parts = bpftrace->n;
		bpftrace->candidates.len = 0;
		table_clear(&bpftrace->numbers);
		memset(bpftrace->process_parts, 0, sizeof(bpftrace->process_parts));
		if (!bpftrace->first.len)
			text_add(&bpftrace->first, map->data, map->len);
		else if (!bpftrace->other.len && !text_equal(&bpftrace->first, map))
			text_add(&bpftrace->other, map->data, map->len);
	}
	bool sure = bpftrace->map_parts == bpftrace->n;
	bpftrace->differing += !sure;
	if (weight)
		try(give_sample(bpftrace, weight, sure, position));
	settle_processes(bpftrace);
	return NULL;
}

struct error *bpftrace_entry(
	struct bpftrace *bpftrace, bool whole, const uint64_t *weight, const char *position)
{
	struct error *error = NULL;
	bool has_stack = !whole; /* a key that is not whole has several lines, as only stacks do */
	const char *wrong =
		!whole	 ? "the key is truncated, or has a line that is no frame"
		: weight ? NULL
			 : "its value is no count: only single numbers, as of count() and "
			   "sum(), can be weights";

	array_each(part, bpftrace->parts, bpftrace->n)
		has_stack |= part->kind == FIELD_WORDS;
	if (has_stack && !wrong) {
		error = count_key(bpftrace, *weight, position);
	} else if (has_stack && wrong != bpftrace->refused) {
		collector_no_counts(bpftrace->dump->collector, position, INPUT_ANY);
		dump_warn(bpftrace->dump, "%s: %s[…]: %s", position,
			bpftrace->map.len ? bpftrace->map.data : "", wrong);
		bpftrace->refused = wrong;
	}
	clear_key(bpftrace);
	return error;
}

struct error *bpftrace_end(struct bpftrace *bpftrace)
{
	report_unknown(bpftrace);
	if (bpftrace->differing)
		dump_warn(bpftrace->dump,
			"%s: %" PRIu64
			" keys have more or fewer parts than others of their map, perhaps because of a "
			"comma in a text: their numbers and texts are not used",
			bpftrace->dump->source->name, bpftrace->differing);
	if (bpftrace->other.len)
		dump_warn(bpftrace->dump,
			"%s: counts of several maps (%s, %s) are added up; pass one map at a time "
			"if they count different things",
			bpftrace->dump->source->name, bpftrace->first.data, bpftrace->other.data);
	vec_each(override, &bpftrace->overrides)
		if (!override->met)
			return take(bpftrace->unmet);
	return NULL;
}
