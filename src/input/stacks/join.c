// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/stacks/join.h"

#include <stdlib.h>
#include <string.h>

#include "input/processes.h"
#include "util/xalloc.h"

/* ---- remedies for missing stacks ------------------------------------------------------------- */

const char *missing_fix(const struct stack_votes *votes, enum missing_order order)
{
	if (votes->ids && !votes->found)
		return "none of the IDs is in it: pass the stack map that holds these stacks";
	switch (order) {
	case MISSING_STACKS_FIRST:
		return "dump the counts before the stacks, and pass every stack map";
	case MISSING_COUNTS_FIRST:
		return "pass every stack map, and let no program delete stacks between the "
		       "dumps";
	case MISSING_ORDER_UNKNOWN:
		break;
	}
	return "dump the counts first and every stack map right after them, and let no program "
	       "delete stacks in between";
}

struct missing missing_in_events(void)
{
	static const char fix[] = "read the stack map as the events come: --map with --events";

	return (struct missing){{fix, fix, fix}};
}

/* Returns the remedy for IDs that are looked up in live maps while events arrive. */
static const char *missing_fix_live(void)
{
	return "pass every stack map with --map, and let no program delete stacks meanwhile";
}

/* ---- samples --------------------------------------------------------------------------------- */

#define COMM_MAX 4096 /* of a process name, in bytes */

void join_deinit(struct join *join)
{
	free(join->unjoined_name);
	free(join->unfitting);
	free(join->weight_name);
	error_destroy(join->unmet);
}

/* Returns the pid_t in a field of any width, or -1 if the value is out of range. */
static int64_t pid_of(const struct field *field)
{
	return field && field->number <= INT32_MAX ? (int64_t)field->number : -1;
}

/*
 * The kernel calls a thread's ID pid. If SAMPLE's pid turns out to be a thread ID, then all unknown
 * IDs of these counts are taken for thread IDs, so that an ended thread is never reported as a
 * process.
 */
static void find_process_of_pid(struct join *join, struct sample *sample)
{
	int64_t process = process_of_thread(join->options->processes, sample->pid);

	join->pids_are_threads |= process >= 0 && process != sample->pid;
	if (process == sample->pid || !join->pids_are_threads)
		return;
	sample->tid = sample->pid;
	sample->pid = process;
}

static void join_process(
	struct join *join, const struct row *row, const struct roles *roles, struct sample *sample)
{
	const struct field *both = role_field(row, roles, ROLE_PID_TGID);

	sample->pid = pid_of(role_field(row, roles, ROLE_PID));
	sample->tid = pid_of(role_field(row, roles, ROLE_TID));
	int64_t either = pid_of(role_field(row, roles, ROLE_PID_OR_TID));
	if (both) {
		sample->pid = (int32_t)(both->number >> 32);
		sample->tid = (int32_t)(uint32_t)both->number;
	}
	if (sample->pid >= 0 && sample->tid < 0)
		find_process_of_pid(join, sample);
	else if (sample->pid < 0)
		sample->pid = process_of_thread(
			join->options->processes, sample->tid >= 0 ? sample->tid : either);
	if (sample->tid < 0 && sample->pid >= 0 && either != sample->pid)
		sample->tid = either;
	if (sample->pid < 0)
		sample->pid = join->options->pid;
	if (sample->pid < 0 && (sample->tid >= 0 || either >= 0))
		sample->pid = SAMPLE_PID_GONE;
}

void join_look_at_process(struct join *join, const struct row *row, const struct roles *roles)
{
	struct sample sample;

	join_process(join, row, roles, &sample);
}

/*
 * Converts a char[] that was dumped as an array of numbers, as bpftool does if it is not text.
 * Returns the length of the text in RET.
 */
static size_t text_of_words(const struct field *field, char *ret)
{
	size_t n = 0;
	int64_t word;

	for (; n < field->len / sizeof(word) && n < COMM_MAX; n++) {
		memcpy(&word, field->bytes + n * sizeof(word), sizeof(word));
		if (word < INT8_MIN || word > UINT8_MAX || !word)
			break;
		ret[n] = (char)word;
	}
	return n;
}

static const char *join_comm(struct join *join, const struct field *field)
{
	if (!field)
		return NULL;
	size_t len = field->len < COMM_MAX ? field->len : COMM_MAX;
	char *comm = arena_copy(&join->batch->memory, field->bytes, len);

	if (field->kind == FIELD_WORDS)
		comm[text_of_words(field, comm)] = '\0';
	return *comm ? comm : NULL;
}

/*
 * Returns the name of the sample. If names are all that identify it, as in wakeuptime, this is
 * "WAKER -> COMM", so that different wakers are kept apart.
 */
static const char *join_label(
	struct join *join, const struct row *row, const struct roles *roles, int64_t pid)
{
	const char *comm = join_comm(join, role_field(row, roles, ROLE_COMM));
	const char *waker = join_comm(join, role_field(row, roles, ROLE_WAKER));

	return comm && waker && pid == -1
		       ? arena_printf(&join->batch->memory, "%s -> %s", waker, comm)
		       : comm;
}

static struct stack lost_stack(enum stack_state state, int64_t id)
{
	return (struct stack){.state = state, .id = id};
}

static struct stack missing_stack(const struct join *join, enum address_side side, int64_t id)
{
	struct stack stack = lost_stack(STACK_LOST_ID, id);

	stack.fix = join->live.find ? missing_fix_live() : join->missing.fix[side];
	return stack;
}

/*
 * Sets USER or KERNEL to STACK, and the other one to absent. If SIDE is unknown, sets USER, because
 * most stacks are user stacks.
 */
static void give(
	enum address_side side, struct stack stack, struct stack *user, struct stack *kernel)
{
	struct stack nothing = {.state = STACK_ABSENT, .id = stack.id};

	*user = side == SIDE_KERNEL ? nothing : stack;
	*kernel = side == SIDE_KERNEL ? stack : nothing;
}

static enum address_side given_side(const struct stack_store *store)
{
	enum input_role role = stack_store_role(store);

	return role == INPUT_USER_STACKS     ? SIDE_USER
	       : role == INPUT_KERNEL_STACKS ? SIDE_KERNEL
					     : SIDE_UNKNOWN;
}

/*
 * Looks up ID. If SIDE is unknown, it is set to the side of the map that has the stack, if that is
 * known.
 */
static enum stack_found find_stack(struct join *join, int64_t id, enum address_side *side,
	const struct stack_store *preferred, struct stack *ret)
{
	struct stack_position position;

	if (join->live.find && id <= UINT32_MAX)
		return join->live.find(join->live.context, &join->options->halves, (uint32_t)id,
			*side, &join->batch->memory, ret);
	enum stack_found found =
		stack_index_find(join->index, (uint64_t)id, *side, preferred, &position);
	if (found != STACK_FOUND)
		return found;
	join->found_in |= 1ULL << position.number;
	*ret = stack_store_stack(position.store, position.stack, &join->batch->memory);
	if (*side == SIDE_UNKNOWN)
		*side = given_side(position.store);
	return STACK_FOUND;
}

static void join_id(struct join *join, int64_t id, enum address_side side,
	const struct stack_store *preferred, struct stack *user, struct stack *kernel)
{
	struct stack stack;

	if (id < 0) {
		give(side, address_no_stack(id), user, kernel);
		return;
	}
	switch (find_stack(join, id, &side, preferred, &stack)) {
	case STACK_NOT_FOUND:
		give(side, missing_stack(join, side, id), user, kernel);
		break;
	case STACK_DOUBTFUL:
		give(side, lost_stack(STACK_LOST_AMBIGUOUS, id), user, kernel);
		break;
	case STACK_FOUND:
		address_split(
			&join->batch->memory, &join->options->halves, &stack, side, user, kernel);
	}
}

/*
 * Returns how many bytes of an inline stack are in use, according to its length field. A field
 * whose name contains sz, size or bytes counts bytes (the result of bpf_get_stack()), others count
 * slots. `len` may be either: it counts slots if the last slot that it would cover is not 0. The
 * caller has excluded negative values, which are errors of bpf_get_stack().
 */
static size_t used_bytes(const struct field *stack, const struct field *length, size_t slot)
{
	const char *name = field_last_name(length);
	size_t slots = stack->len / slot;
	uint64_t number = length->number, last = 0;
	bool bytes = strstr(name, "sz") || strstr(name, "size") || strstr(name, "bytes");

	if (strstr(name, "len")) {
		if (number && number <= slots)
			memcpy(&last, stack->bytes + (number - 1) * slot, sizeof(last));
		bytes = number && !last;
	}
	if (!bytes)
		number = number > slots ? stack->len : number * slot;
	return number < stack->len ? (size_t)number : stack->len;
}

static void join_inline(struct join *join, const struct field *field, const struct field *length,
	enum address_side side, struct stack *user, struct stack *kernel)
{
	const uint8_t *bytes = (const uint8_t *)field->bytes;
	enum input_record_shape shape =
		field->kind == FIELD_WORDS ? INPUT_SHAPE_ADDRESSES : join->options->shape;

	if (field->width == STACK_RECORD_SIZE)
		shape = INPUT_SHAPE_BUILD_IDS;
	size_t len = field->len - field->len % sizeof(uint64_t);

	if (shape == INPUT_SHAPE_LOOK)
		shape = stack_records_look(bytes, len) ? INPUT_SHAPE_BUILD_IDS
						       : INPUT_SHAPE_ADDRESSES;
	if (length && field_stack_id(length) < 0) {
		give(side, address_no_stack(field_stack_id(length)), user, kernel);
		user->id = kernel->id = -1;
		return;
	}
	if (length)
		len = used_bytes(field, length,
			shape == INPUT_SHAPE_BUILD_IDS ? STACK_RECORD_SIZE : sizeof(uint64_t));
	struct stack stack = stack_of_bytes(&join->batch->memory, bytes, len, shape);
	stack.truncated = stack.truncated && len == field->len;
	address_split(&join->batch->memory, &join->options->halves, &stack, side, user, kernel);
}

static bool join_role(struct join *join, const struct row *row, const struct roles *roles,
	enum role role, const struct join_preference *preference, struct stack *user,
	struct stack *kernel)
{
	const struct field *field = role_field(row, roles, role);
	enum address_side side = role_side(role);
	size_t length = roles->length[role];

	if (!field || !field_may_be_stack(field))
		return false;
	if (field->kind == FIELD_NUMBER)
		join_id(join, field_stack_id(field), side, preference->store[side], user, kernel);
	else
		join_inline(join, field, length == ROLE_NO_FIELD ? NULL : &row->fields[length],
			side, user, kernel);
	return true;
}

/* Sets STACK to WITH, the part of another stack that belongs to this side, if STACK is absent. */
static void fill(struct stack *stack, struct stack with)
{
	if (stack->state == STACK_ABSENT && with.state != STACK_ABSENT)
		*stack = with;
}

static void join_stacks(struct join *join, const struct row *row, const struct roles *roles,
	const struct join_preference *preference, struct sample *sample)
{
	struct stack nothing = {.state = STACK_ABSENT, .id = -1};
	struct stack user_extra = nothing, kernel_extra = nothing, user = nothing, kernel = nothing;

	sample->user = sample->kernel = nothing;
	join_role(join, row, roles, ROLE_USER, preference, &sample->user, &kernel_extra);
	join_role(join, row, roles, ROLE_KERNEL, preference, &user_extra, &sample->kernel);
	fill(&sample->user, user_extra);
	fill(&sample->kernel, kernel_extra);
	if (join_role(join, row, roles, ROLE_STACK, preference, &user, &kernel)) {
		if (roles->field[ROLE_USER] == ROLE_NO_FIELD)
			fill(&sample->user, user);
		if (roles->field[ROLE_KERNEL] == ROLE_NO_FIELD)
			fill(&sample->kernel, kernel);
	}
}

/*
 * Returns FIELD's name, which lives as long as JOIN, if all weights so far have the same name.
 * Otherwise returns NULL.
 */
static const char *weight_name(struct join *join, const struct field *field)
{
	if (!join->weight_name)
		join->weight_name = xstrdup(field->name);
	return strcmp(join->weight_name, field->name) ? NULL : join->weight_name;
}

struct sample join_sample(struct join *join, const struct row *row, const struct roles *roles,
	const struct join_preference *preference)
{
	const struct field *weight = role_field(row, roles, ROLE_WEIGHT);
	const struct field *time = role_field(row, roles, ROLE_TIME);
	struct sample sample = {.weight = weight ? weight->number : 1};

	if (weight)
		sample.weight_name = weight_name(join, weight);
	join_process(join, row, roles, &sample);
	if (sample.weight)
		join_stacks(join, row, roles, preference, &sample);
	sample.comm = join_label(join, row, roles, sample.pid);
	sample.time = time ? time->number : 0;
	return sample;
}

static bool nothing_but_ids(const struct stack *user, const struct stack *kernel)
{
	return (user->state == STACK_LOST_ID || kernel->state == STACK_LOST_ID) &&
	       user->state != STACK_PRESENT && kernel->state != STACK_PRESENT;
}

static bool lacks_stacks(struct join *join, const struct sample *sample, const char *name)
{
	if (join->index->stores.len || join->live.find ||
		!nothing_but_ids(&sample->user, &sample->kernel))
		return false;
	if (!join->unjoined++)
		join->unjoined_name = xstrdup(name);
	return true;
}

void join_check(struct join *join, const struct sample *sample, const char *name)
{
	(void)lacks_stacks(join, sample, name);
}

static void count_stack(struct explained_side *side, const struct stack *stack, uint64_t weight)
{
	side->entries[stack->state]++;
	side->weight[stack->state] += weight;
}

static void count_sample(struct join_tally *tally, const struct sample *sample)
{
	if (!tally)
		return;
	tally->samples++;
	tally->weight += sample->weight;
	count_stack(&tally->user, &sample->user, sample->weight);
	count_stack(&tally->kernel, &sample->kernel, sample->weight);
}

void join_set_time(const struct join *join, uint64_t time, struct sample *sample)
{
	if (sample->time)
		return;
	sample->time = time;
	sample->perf_clock = !join->monotonic;
	sample->early = !time && join->early;
}

struct error *join_add(struct join *join, const struct sample *sample, const char *name)
{
	if (!sample->weight) {
		join->pending++;
		return batch_make_room(join->batch);
	}
	if (sample->weight > INT64_MAX) {
		join->negative++;
		return batch_make_room(join->batch);
	}
	if (lacks_stacks(join, sample, name))
		return batch_make_room(join->batch);
	join->states[sample->user.state]++;
	join->states[sample->kernel.state]++;
	if (!join->options->explain)
		return batch_add(join->batch, sample);
	count_sample(join->tally, sample);
	return batch_make_room(join->batch);
}

struct error *join_stored(
	struct join *join, const struct stack_store *store, const struct stored_stack *stored)
{
	if (!stored->depth)
		return NULL;
	struct stack stack = stack_store_stack(store, stored, &join->batch->memory);
	struct sample sample = {.pid = join->options->pid, .tid = -1, .weight = 1};

	address_split(&join->batch->memory, stack_store_halves(store), &stack, given_side(store),
		&sample.user, &sample.kernel);
	return join_add(join, &sample, stack_store_name(store));
}

void join_report(struct join *join)
{
	for (enum stack_state state = STACK_LOST_COLLISION; state < STACK_STATE_COUNT; state++)
		log_add(join->log, LOG_DETAIL, join->states[state], "a stack is lost: %s; %s",
			stack_state_text(state), stack_state_fix(state));
	log_add(join->log, LOG_DETAIL, join->pending, "an entry with weight 0 was left out");
	log_add(join->log, LOG_WARNING, join->negative,
		"a stack with a negative weight is left out: no output format has such weights");
	memset(join->states, 0, sizeof(join->states));
	join->pending = join->negative = 0;
}
