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

void join_set_process(
	struct join *join, const struct row *row, const struct roles *roles, struct sample *sample)
{
	const struct input_processes *processes = join->options->processes;
	const struct field *both = role_field(row, roles, ROLE_PID_TGID);
	int64_t either = pid_of(role_field(row, roles, ROLE_PID_OR_TID));

	sample->pid = pid_of(role_field(row, roles, ROLE_PID));
	sample->tid = pid_of(role_field(row, roles, ROLE_TID));
	if (both) {
		sample->pid = (int32_t)(both->number >> 32);
		sample->tid = (int32_t)(uint32_t)both->number;
	}
	if (sample->pid >= 0 && sample->tid < 0) {
		/*
		 * The kernel calls a thread's ID pid. If this pid turns out to be a thread ID, then
		 * all unknown IDs of these counts are taken for thread IDs, so that an ended thread
		 * is never reported as a process.
		 */
		int64_t process = process_of_thread(processes, sample->pid);

		join->pids_are_threads |= process >= 0 && process != sample->pid;
		if (process != sample->pid && join->pids_are_threads) {
			sample->tid = sample->pid;
			sample->pid = process;
		}
	} else if (sample->pid < 0) {
		sample->pid = process_of_thread(processes, sample->tid >= 0 ? sample->tid : either);
	}
	if (sample->tid < 0 && sample->pid >= 0 && either != sample->pid)
		sample->tid = either;
	if (sample->pid < 0)
		sample->pid = join->options->pid;
	if (sample->pid < 0 && (sample->tid >= 0 || either >= 0))
		sample->pid = SAMPLE_PID_GONE;
}

static const char *join_comm(struct join *join, const struct field *field)
{
	size_t n = 0;
	int64_t word;

	if (!field)
		return NULL;
	size_t len = field->len < COMM_MAX ? field->len : COMM_MAX;
	char *comm = arena_copy(&join->batch->memory, field->bytes, len);

	/* bpftool dumps a char[] that is not text as an array of numbers */
	if (field->kind == FIELD_WORDS) {
		for (; n < field->len / sizeof(word) && n < COMM_MAX; n++) {
			memcpy(&word, field->bytes + n * sizeof(word), sizeof(word));
			if (word < INT8_MIN || word > UINT8_MAX || !word)
				break;
			comm[n] = (char)word;
		}
		comm[n] = '\0';
	}
	return *comm ? comm : NULL;
}

/* The stacks that one field gives; either may be absent. */
struct sides {
	struct stack user, kernel;
};

/* Returns STACK as that of SIDE. If SIDE is unknown, it is a user stack, as most are. */
static struct sides one_side(enum address_side side, struct stack stack)
{
	struct stack nothing = {.state = STACK_ABSENT, .id = stack.id};

	return side == SIDE_KERNEL ? (struct sides){nothing, stack}
				   : (struct sides){stack, nothing};
}

static struct sides both_sides(struct join *join, const struct stack *stack, enum address_side side)
{
	struct sides ret;

	address_split(
		&join->batch->memory, &join->options->halves, stack, side, &ret.user, &ret.kernel);
	return ret;
}

/*
 * Looks up ID. If SIDE is unknown, the side of the map that has the stack is used, if that is
 * known.
 */
static struct sides join_id(struct join *join, int64_t id, enum address_side side)
{
	struct arena *memory = &join->batch->memory;
	struct stack lost = {.state = STACK_LOST_ID, .id = id}, stack;
	struct stack_position position;
	enum stack_found found;

	if (id < 0)
		return one_side(side, address_no_stack(id));
	if (join->live.find && id <= UINT32_MAX) {
		found = join->live.find(join->live.context, &join->options->halves, (uint32_t)id,
			side, memory, &stack);
		if (found == STACK_FOUND)
			return both_sides(join, &stack, side);
	} else {
		found = stack_index_find(
			join->index, (uint64_t)id, side, join->ids.preferred[side], &position);
		if (found == STACK_FOUND) {
			join->found_in |= 1ULL << position.number;
			stack = stack_store_stack(position.store, position.stack, memory);
			return both_sides(join, &stack,
				side == SIDE_UNKNOWN ? position.store->given_side : side);
		}
	}
	if (found == STACK_DOUBTFUL)
		lost.state = STACK_LOST_AMBIGUOUS;
	else if (join->live.find) /* IDs are looked up in live maps while events arrive */
		lost.fix = "pass every stack map with --map, and let no program delete stacks "
			   "meanwhile";
	else
		lost.fix = join->ids.fix[side];
	return one_side(side, lost);
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

/* Returns the stacks of the field with ROLE, which has an ID or is an inline stack. */
static struct sides join_role(
	struct join *join, const struct row *row, const struct roles *roles, enum role role)
{
	const struct field *field = role_field(row, roles, role), *length = NULL;
	enum address_side side = role_side(role);

	if (!field || !field_may_be_stack(field))
		return one_side(side, (struct stack){.state = STACK_ABSENT, .id = -1});
	if (field->kind == FIELD_NUMBER)
		return join_id(join, field_stack_id(field), side);
	if (roles->length[role] != ROLE_NO_FIELD)
		length = &row->fields[roles->length[role]];
	if (length && field_stack_id(length) < 0) {
		struct stack none = address_no_stack(field_stack_id(length));

		none.id = -1;
		return one_side(side, none);
	}
	const uint8_t *bytes = (const uint8_t *)field->bytes;
	size_t len = field->len - field->len % sizeof(uint64_t);
	enum input_record_shape shape =
		field->kind == FIELD_WORDS ? INPUT_SHAPE_ADDRESSES : join->options->shape;
	if (field->width == STACK_RECORD_SIZE)
		shape = INPUT_SHAPE_BUILD_IDS;
	if (shape == INPUT_SHAPE_LOOK)
		shape = stack_records_look(bytes, len) ? INPUT_SHAPE_BUILD_IDS
						       : INPUT_SHAPE_ADDRESSES;
	if (length)
		len = used_bytes(field, length,
			shape == INPUT_SHAPE_BUILD_IDS ? STACK_RECORD_SIZE : sizeof(uint64_t));
	struct stack stack = stack_of_bytes(&join->batch->memory, bytes, len, shape);
	stack.truncated = stack.truncated && len == field->len;
	return both_sides(join, &stack, side);
}

/* Sets STACK to WITH, the part of another stack that belongs to this side, if STACK is absent. */
static void fill(struct stack *stack, struct stack with)
{
	if (stack->state == STACK_ABSENT && with.state != STACK_ABSENT)
		*stack = with;
}

struct sample join_sample(struct join *join, const struct row *row, const struct roles *roles)
{
	const struct field *weight = role_field(row, roles, ROLE_WEIGHT);
	const struct field *time = role_field(row, roles, ROLE_TIME);
	struct sample sample = {
		.weight = weight ? weight->number : 1, .time = time ? time->number : 0};

	if (weight) {
		if (!join->weight_name)
			join->weight_name = xstrdup(weight->name);
		if (!strcmp(join->weight_name, weight->name))
			sample.weight_name = join->weight_name;
	}
	join_set_process(join, row, roles, &sample);
	if (sample.weight) {
		const struct sides user = join_role(join, row, roles, ROLE_USER);
		const struct sides kernel = join_role(join, row, roles, ROLE_KERNEL);
		const struct sides any = join_role(join, row, roles, ROLE_STACK);

		sample.user = user.user;
		sample.kernel = kernel.kernel;
		fill(&sample.user, kernel.user);
		fill(&sample.kernel, user.kernel);
		if (roles->field[ROLE_USER] == ROLE_NO_FIELD)
			fill(&sample.user, any.user);
		if (roles->field[ROLE_KERNEL] == ROLE_NO_FIELD)
			fill(&sample.kernel, any.kernel);
	}
	sample.comm = join_comm(join, role_field(row, roles, ROLE_COMM));
	const char *waker = join_comm(join, role_field(row, roles, ROLE_WAKER));
	/* if names are all that identify it, as in wakeuptime, different wakers are kept apart */
	if (sample.comm && waker && sample.pid == -1)
		sample.comm = arena_printf(&join->batch->memory, "%s -> %s", waker, sample.comm);
	return sample;
}

bool join_lacks_stacks(struct join *join, const struct sample *sample, const char *name)
{
	enum stack_state user = sample->user.state, kernel = sample->kernel.state;

	if (join->index->stores.len || join->live.find || user == STACK_PRESENT ||
		kernel == STACK_PRESENT || (user != STACK_LOST_ID && kernel != STACK_LOST_ID))
		return false;
	if (!join->unjoined++)
		join->unjoined_name = xstrdup(name);
	return true;
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
	enum stack_state user = sample->user.state, kernel = sample->kernel.state;
	struct explained_join *tally = join->tally;

	if (!sample->weight) {
		join->pending++;
	} else if (sample->weight > INT64_MAX) {
		join->negative++;
	} else if (!join_lacks_stacks(join, sample, name)) {
		join->states[user]++;
		join->states[kernel]++;
		if (!join->options->explain)
			return batch_add(join->batch, sample);
		if (tally) {
			tally->samples++;
			tally->weight += sample->weight;
			tally->user.entries[user]++;
			tally->user.weight[user] += sample->weight;
			tally->kernel.entries[kernel]++;
			tally->kernel.weight[kernel] += sample->weight;
		}
	}
	return batch_make_room(join->batch);
}

struct error *join_stored(
	struct join *join, const struct stack_store *store, const struct stored_stack *stored)
{
	if (!stored->depth)
		return NULL;
	struct arena *memory = &join->batch->memory;
	struct stack stack = stack_store_stack(store, stored, memory);
	struct sample sample = {.pid = join->options->pid, .tid = -1, .weight = 1};

	address_split(
		memory, &store->halves, &stack, store->given_side, &sample.user, &sample.kernel);
	return join_add(join, &sample, store->name);
}

void join_report(struct join *join)
{
	for (enum stack_state state = STACK_LOST_COLLISION; state < STACK_STATE_COUNT; state++)
		log_add(join->log, LOG_DETAIL, join->states[state], "a stack is lost: %s; %s",
			stack_state_words[state].text, stack_state_words[state].fix);
	log_add(join->log, LOG_DETAIL, join->pending, "an entry with weight 0 was left out");
	log_add(join->log, LOG_WARNING, join->negative,
		"a stack with a negative weight is left out: no output format has such weights");
	memset(join->states, 0, sizeof(join->states));
	join->pending = join->negative = 0;
}
