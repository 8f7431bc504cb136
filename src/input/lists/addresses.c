// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/lists/addresses.h"

#include <errno.h>

#define MARK_MAX ((uint64_t)-4095)
#define USER_MIN 0x10000ULL
#define USER_END (1ULL << 57)
#define KERNEL_START 0xff00000000000000ULL
#define VSYSCALL_START 0xffffffffff600000ULL
#define VSYSCALL_END 0xffffffffff601000ULL

/* enum perf_callchain_context, include/uapi/linux/perf_event.h */
enum {
	MARK_HV = -32,
	MARK_KERNEL = -128,
	MARK_USER = -512,
	MARK_USER_DEFERRED = -640,
	MARK_GUEST_KERNEL = -2176,
	MARK_GUEST_USER = -2560,
};

bool address_is_mark(uint64_t value)
{
	return value >= MARK_MAX;
}

/* Returns the side that begins at a mark, or CURRENT if the mark does not change it. */
static enum address_side mark_side(uint64_t value, enum address_side current)
{
	switch ((int64_t)value) {
	case MARK_HV:
	case MARK_KERNEL:
	case MARK_GUEST_KERNEL:
		return SIDE_KERNEL;
	case MARK_USER:
	case MARK_USER_DEFERRED:
	case MARK_GUEST_USER:
		return SIDE_USER;
	default:
		return current;
	}
}

enum address_side address_side(uint64_t value)
{
	if (value >= VSYSCALL_START && value < VSYSCALL_END)
		return SIDE_UNKNOWN;
	if (value >= KERNEL_START)
		return address_is_mark(value) ? SIDE_UNKNOWN : SIDE_KERNEL;
	return value >= USER_MIN && value < USER_END ? SIDE_USER : SIDE_UNKNOWN;
}

enum address_side address_side_in(const struct address_halves *halves, uint64_t value)
{
	enum address_side side = address_side(value);

	if (!halves->separate && !halves->kernel_start)
		return side;
	if (halves->separate || address_is_mark(value) || value < USER_MIN)
		return SIDE_UNKNOWN;
	return value >= halves->kernel_start ? SIDE_KERNEL : side;
}

static bool slot_is_offset(const struct stack *stack, size_t i)
{
	return stack->origins && (stack->origins[i].build_id.len || stack->origins[i].file);
}

static enum address_side slot_side(
	const struct address_halves *halves, const struct stack *stack, size_t i)
{
	return slot_is_offset(stack, i) ? SIDE_USER : address_side_in(halves, stack->values[i]);
}

enum address_side address_leaf_side(const struct address_halves *halves, const struct stack *stack)
{
	for (size_t i = 0; i < stack->depth; i++) {
		enum address_side side = slot_side(halves, stack, i);

		if (side != SIDE_UNKNOWN)
			return side;
	}
	return SIDE_UNKNOWN;
}

size_t address_trim(const uint64_t *values, size_t n)
{
	while (n && !values[n - 1])
		n--;
	return n;
}

static bool has_marks(const struct stack *stack)
{
	uint64_t all = 0;

	if (stack->unmarked)
		return false;
	array_each(value, stack->values, stack->depth)
		all |= *value;
	if (!address_is_mark(all))
		return false; /* the usual case, by a quick test */
	for (size_t i = 0; i < stack->depth; i++)
		if (!slot_is_offset(stack, i) && address_is_mark(stack->values[i]))
			return true;
	return false;
}

/* Returns slots [from, to) of IN without copying. Only the part with the root can be truncated. */
static struct stack stack_part(const struct stack *in, size_t from, size_t to)
{
	struct stack part = *in;

	part.depth = to - from;
	part.values += from;
	if (part.origins)
		part.origins += from;
	part.truncated = in->truncated && to == in->depth;
	part.state = part.depth ? STACK_PRESENT : STACK_ABSENT;
	return part;
}

/*
 * Returns the slots of IN that belong to SIDE if the marks are followed, beginning on side START.
 */
static struct stack marked_part(struct arena *memory, const struct stack *in,
	enum address_side start, enum address_side side)
{
	uint64_t *values = arena_alloc(memory, in->depth * sizeof(*values));
	struct stack_origin *origins =
		in->origins ? arena_alloc(memory, in->depth * sizeof(*origins)) : NULL;
	size_t n = 0, last = 0;

	for (size_t i = 0; i < in->depth; i++) {
		if (!slot_is_offset(in, i) && address_is_mark(in->values[i])) {
			start = mark_side(in->values[i], start);
			continue;
		}
		if (start != side)
			continue;
		values[n] = in->values[i];
		if (origins)
			origins[n] = in->origins[i];
		n++;
		last = i;
	}
	struct stack part = *in;
	part.values = values;
	part.origins = origins;
	part.depth = address_trim(values, n);
	part.truncated = in->truncated && last + 1 == in->depth;
	part.state = part.depth ? STACK_PRESENT : STACK_ABSENT;
	return part;
}

void address_split(struct arena *memory, const struct address_halves *halves,
	const struct stack *in, enum address_side side, struct stack *user, struct stack *kernel)
{
	struct stack nothing = {.state = STACK_ABSENT, .id = in->id};
	size_t at = 0;

	if (side == SIDE_UNKNOWN && halves->separate && in->depth && !slot_is_offset(in, 0) &&
		!address_is_mark(in->values[0])) {
		/* the first slot is a plain address, which does not determine its side */
		*user = (struct stack){.state = STACK_LOST_SIDE, .id = in->id};
		*kernel = nothing;
	} else if (has_marks(in)) {
		if (side == SIDE_UNKNOWN)
			side = address_leaf_side(halves, in) == SIDE_KERNEL ? SIDE_KERNEL
									    : SIDE_USER;
		*user = marked_part(memory, in, side, SIDE_USER);
		*kernel = marked_part(memory, in, side, SIDE_KERNEL);
	} else if (side == SIDE_UNKNOWN) {
		if (address_leaf_side(halves, in) == SIDE_KERNEL)
			while (at < in->depth && slot_side(halves, in, at) != SIDE_USER)
				at++;
		*kernel = stack_part(in, 0, at);
		*user = stack_part(in, at, in->depth);
	} else {
		struct stack whole = stack_part(in, 0, in->depth);

		*user = side == SIDE_USER ? whole : nothing;
		*kernel = side == SIDE_KERNEL ? whole : nothing;
	}
}

struct stack address_no_stack(int64_t id)
{
	struct stack stack = {.state = STACK_ABSENT, .id = id};

	switch (id) {
	case -1: /* convention: the program did not request this stack */
	case -EFAULT:
		break;
	case -EEXIST:
		stack.state = STACK_LOST_COLLISION;
		break;
	case -ENOMEM:
		stack.state = STACK_LOST_FULL;
		break;
	default:
		stack.state = STACK_LOST_ERROR;
		stack.error = id < INT32_MIN ? INT32_MIN : (int32_t)id;
	}
	return stack;
}

/* ---- slots ----------------------------------------------------------------------------------- */

void slots_deinit(struct slots *slots)
{
	vec_deinit(&slots->values);
	vec_deinit(&slots->origins);
	vec_deinit(&slots->known);
}

void slots_clear(struct slots *slots)
{
	slots->values.len = slots->origins.len = slots->known.len = 0;
	slots->in_files = false;
}

void slots_add(struct slots *slots, uint64_t value, struct stack_origin origin)
{
	vec_push(&slots->values, value);
	vec_push(&slots->origins, origin);
	slots->in_files |= origin.build_id.len || origin.file;
}

void slots_add_known(struct slots *slots, uint64_t value, struct stack_origin origin,
	const struct location *location)
{
	slots_add(slots, value, origin);
	vec_push(&slots->known, location);
}

struct stack slots_stack(const struct slots *slots, size_t depth)
{
	return (struct stack){.state = depth ? STACK_PRESENT : STACK_ABSENT,
		.id = -1,
		.depth = depth,
		.values = slots->values.data,
		.origins = slots->in_files ? slots->origins.data : NULL,
		.known = slots->known.data};
}
