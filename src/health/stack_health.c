// SPDX-License-Identifier: GPL-2.0-or-later
#include "health/stack_health.h"

#include <ctype.h>
#include <string.h>

#include "util/vec.h"

void doubted_deinit(struct doubted *doubted)
{
	table_deinit(&doubted->by_serial);
	arena_deinit(&doubted->arena);
}

void doubted_clear(struct doubted *doubted)
{
	if (!doubted->by_serial.len)
		return;
	table_clear(&doubted->by_serial);
	memset(doubted->recent, 0, sizeof(doubted->recent));
	arena_clear(&doubted->arena);
}

/*
 * Returns a doubtful copy of LOCATION, owned by DOUBTED. Returns LOCATION itself if it is doubtful
 * already, has no name or no serial. MISLED: LOCATION is not a return address, because the function
 * before it keeps data in the frame pointer. Otherwise it follows a frame that is not a return
 * address.
 */
static const struct location *doubt(
	struct doubted *doubted, const struct location *location, bool misled)
{
	const uint64_t key = location->serial * 2 + misled;
	struct recent_doubt *recent = &doubted->recent[key % array_len(doubted->recent)];
	bool added;

	if (location->doubtful || location->status != FRAME_NAMED || !location->serial)
		return location;
	if (recent->key == key)
		return recent->copy;
	uint64_t *copy = table_at(&doubted->by_serial, &key, sizeof(key), &added);
	if (added) {
		struct location *made = arena_alloc(&doubted->arena, sizeof(*made));

		*made = *location;
		made->doubtful = true;
		made->detail =
			misled ? "not a return address: the function before it keeps data in "
				 "the frame pointer"
			       : "after a frame that is not a return address";
		made->end = misled ? END_GARBAGE : made->end;
		made->lost_caller = CALLER_NONE;
		made->serial = ++*doubted->serials;
		*copy = (uintptr_t)made;
	}
	*recent = (struct recent_doubt){key, (const struct location *)(uintptr_t)*copy};
	return recent->copy;
}

/*
 * Returns true if the value looks like text that overwrote an address: 7 or 8 printable bytes. No
 * user address is that high.
 */
static bool is_text(const struct location *location)
{
	uint64_t value = location->address;

	if (!location->has_address ||
		(location->status != FRAME_NOT_AN_ADDRESS && location->status != FRAME_UNMAPPED))
		return false;
	for (int i = 0; i < 7; i++, value >>= 8)
		if (!isprint((int)(value & 0xff)))
			return false;
	return !value || isprint((int)value);
}

/*
 * Returns true if location I is not a return address: it is in memory that is not code, or no call
 * instruction precedes it. Go's runtime preempts threads by injecting a call of asyncPreempt, so
 * that the pc before it is exact and follows no call.
 */
static bool is_garbage(const struct location *const *locations, size_t i)
{
	static const char preempt[] = "runtime.asyncPreempt";
	enum frame_status status = locations[i]->status;

	if (locations[i]->end != END_GARBAGE)
		return i && (status == FRAME_NOT_AN_ADDRESS || status == FRAME_NOT_EXECUTABLE);
	const struct location *before = i ? locations[i - 1] : NULL;
	const char *called = before ? before->frames[before->n_frames - 1].linkage : NULL;
	return !called || strncmp(called, preempt, sizeof(preempt) - 1) != 0;
}

static bool is_no_code(enum frame_status status)
{
	return status == FRAME_NOT_AN_ADDRESS || status == FRAME_NOT_EXECUTABLE ||
	       status == FRAME_UNMAPPED || status == FRAME_OUTSIDE_SEGMENTS;
}

/* Returns true if location I starts threads or calls main(), so that it needs no caller. */
static bool is_first(const struct location *const *locations, size_t i)
{
	return locations[i]->end == END_FIRST || locations[i]->end == END_OUTERMOST ||
	       (i && locations[i - 1]->end == END_MAIN && !is_no_code(locations[i]->status));
}

/*
 * Returns true if the unmapped location I may be code of a library that was unloaded: it certainly
 * is the caller of the frame before it, or is less than NEAR bytes away from that. Text is not
 * code. Only programs, which are never unmapped, are mapped below LOW (TASK_UNMAPPED_BASE of 32
 * bits).
 */
static bool may_have_been_code(const struct location *const *locations, size_t i)
{
	enum { NEAR = 1 << 28, LOW = 1 << 30 };
	const struct location *location = locations[i], *before = locations[i - 1];

	if (location->status != FRAME_UNMAPPED || is_first(locations, i - 1) || is_text(location))
		return false;
	return (!before->lost_caller && !before->unjudged && !before->entered) ||
	       (before->has_address && location->address >= LOW &&
		       before->address - location->address + NEAR < 2ULL * NEAR);
}

/*
 * Returns how many of the N locations are frames. There are none after the entry point. Trailing
 * locations that are not return addresses are no frames, except those that may have been code.
 */
static size_t count_frames(const struct location *const *locations, size_t n)
{
	size_t frames = n;

	while (frames > 1 &&
		(is_garbage(locations, frames - 1) || is_no_code(locations[frames - 1]->status)))
		frames--;
	while (frames < n && may_have_been_code(locations, frames))
		frames++;
	for (size_t i = 0; i < frames; i++)
		if (locations[i]->end == END_ENTRY)
			return i + 1;
	return frames;
}

static unsigned int kinds_of_frames(const struct location *const *locations, size_t n)
{
	unsigned int kinds = 0;

	for (size_t i = 0; i < n; i++) {
		const struct location *location = locations[i];
		bool misled = i && locations[i - 1]->misled;

		/* fast path: this runs for every frame, and few frames have any of these */
		if (!location->lost_caller && !location->status && location->end != END_GARBAGE &&
			!location->unjudged && !misled)
			continue;
		kinds |= (location->lost_caller ? 1U << HEALTH_LOST_CALLER : 0) |
			 (location->unjudged && (!i || i + 1 < n) ? 1U << HEALTH_UNJUDGED : 0);
		if (location->status && is_text(location))
			kinds |= 1U << HEALTH_TEXT;
		else if (misled || is_garbage(locations, i))
			kinds |= 1U << HEALTH_DOUBTFUL;
	}
	return kinds;
}

/*
 * Returns true if LOCATION shows that the mappings of its process were available. Values that are
 * not addresses do not show it: they are rejected without mappings.
 */
static bool is_mapped(const struct location *location)
{
	enum frame_status status = location->status;

	return location->object || status == FRAME_NAMED || status == FRAME_ANONYMOUS ||
	       status == FRAME_UNMAPPED || status == FRAME_JIT_LIMIT ||
	       status == FRAME_NOT_EXECUTABLE;
}

/*
 * Returns true if the last of the N locations lacks its caller. An unnamed location may be where a
 * thread or program begins, and then lacks none. This is ruled out if it was just called, and if
 * addresses after it were CUT, provided that the mappings of the process were available and that
 * the function keeps frame pointers: otherwise FP may be anything at the start, too.
 */
static bool ended_early(const struct location *const *locations, size_t n, bool cut)
{
	const struct location *last = locations[n - 1];

	if (last->end != END_NOT || last->kind != LOCATION_USER || is_first(locations, n - 1))
		return false;
	while (cut && n && !is_mapped(locations[n - 1]))
		n--;
	return last->status == FRAME_NAMED || last->entered || (cut && n && !last->lost_caller);
}

struct stack_health health_of_state(const struct stack *stack)
{
	unsigned int kinds = 0;

	if (stack->state == STACK_LOST_COLLISION)
		kinds = 1U << HEALTH_COLLIDED;
	else if (stack->state == STACK_PRESENT)
		kinds = stack->truncated ? 1U << HEALTH_TRUNCATED : 0;
	else if (stack->state != STACK_ABSENT)
		kinds = 1U << HEALTH_LOST;
	return (struct stack_health){.kinds = kinds};
}

void health_restrict(
	struct stack_health *health, const struct location *const *locations, size_t n, bool rooted)
{
	const unsigned int of_frames = 1U << HEALTH_LOST_CALLER | 1U << HEALTH_DOUBTFUL |
				       1U << HEALTH_TEXT | 1U << HEALTH_UNJUDGED;
	const unsigned int of_root = 1U << HEALTH_ENDED_EARLY | 1U << HEALTH_TRUNCATED;

	health->kinds &= n ? ~of_frames | kinds_of_frames(locations, n) : 0;
	if (!n || rooted) {
		health->kinds &= ~of_root;
		health->cut = 0;
	}
}

struct stack_health health_user_stack(
	struct doubted *doubted, struct stack *stack, const struct location **locations, size_t *n)
{
	struct stack_health health = health_of_state(stack);
	bool doubtful = false;

	if (stack->state != STACK_PRESENT || stack->exact || stack->unwound || !*n)
		return health;
	/* A list of files and offsets may not be a stack at all. */
	const bool whole = stack->known || (stack->origins && stack->origins[0].file);
	const size_t frames = whole ? *n : count_frames(locations, *n);
	health.cut = *n - frames;
	/*
	 * A frame pointer that points to its own frame fills the stack with one address. The stack
	 * is complete without the repetitions.
	 */
	if (health.cut)
		stack->truncated = false;
	health.kinds = health_of_state(stack).kinds | kinds_of_frames(locations, frames);
	if (!whole && !stack->truncated && ended_early(locations, frames, health.cut))
		health.kinds |= 1U << HEALTH_ENDED_EARLY;
	for (size_t i = 0; health.kinds & (1U << HEALTH_DOUBTFUL | 1U << HEALTH_TEXT) && i < frames;
		i++) {
		bool misled = i && locations[i - 1]->misled;

		if (doubtful || misled)
			locations[i] = doubt(doubted, locations[i], misled && !doubtful);
		doubtful = doubtful || misled || is_garbage(locations, i);
	}
	*n = frames;
	return health;
}
