// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/guesser.h"

#include <string.h>

#include "util/vec.h"

/* Forget all pairs if a batch leaves more than this. */
enum { PAIRS_MAX = 1 << 16 };

void guesser_deinit(struct guesser *guesser)
{
	arena_deinit(&guesser->memory);
	arena_deinit(&guesser->slots);
	table_deinit(&guesser->by_pair);
	vec_deinit(&guesser->fresh);
	vec_deinit(&guesser->traces);
}

void guesser_begin(struct guesser *guesser, bool forgotten)
{
	guesser->traces.len = guesser->fresh.len = 0;
	arena_clear(&guesser->slots);
	if (!forgotten && guesser->by_pair.len <= PAIRS_MAX)
		return;
	table_clear(&guesser->by_pair);
	arena_clear(&guesser->memory);
}

/* Returns true if LOCATION, a leaf or the frame after it, is reliable. */
static bool is_sure(const struct location *location)
{
	return location->kind == LOCATION_USER && location->has_elf_address && location->serial &&
	       !location->doubtful && location->end != END_GARBAGE;
}

static bool is_asked(const struct trace *trace, bool guess)
{
	const struct stack *stack = &trace->sample->user;

	if (stack->exact || stack->known || stack->unwound || trace->n_user < 2)
		return false;
	const struct location *leaf = trace->user[0], *next = trace->user[1];
	bool lost = guess && leaf->object == next->object &&
		    (leaf->lost_caller == CALLER_LEAF || leaf->lost_caller == CALLER_PROLOGUE);
	return (lost || leaf->entered) && leaf->status == FRAME_NAMED && leaf->object &&
	       next->object && is_sure(leaf) && is_sure(next);
}

/* Requests the name of the caller; without a known call, by the function's first byte. */
static void want_name(struct guesser *guesser, struct target *target, struct leaf_guess *guess)
{
	const struct guessed_caller *found = &guess->found;
	struct location *caller = arena_alloc(&guesser->memory, sizeof(*caller));

	*caller = (struct location){.kind = LOCATION_USER,
		.object = guess->leaf->object,
		.elf_address = found->site ? found->site : found->function,
		.has_elf_address = true,
		.doubtful = true,
		.guessed = true,
		.serial = ++guesser->resolver->serials,
		.detail = found->site
				  ? "guessed: frame pointers skipped it; the next frame calls it, "
				    "and it calls the frame before at this place only"
				  : "guessed: frame pointers skipped it; the next frame calls it, "
				    "and it calls the frame before, at an unknown line"};
	guess->caller = caller;
	const struct want want = {.address = caller->elf_address - (found->site != 0),
		.exact = !found->site,
		.location = caller};
	vec_push(&target->wants, want);
	vec_push(&guesser->fresh, guess);
}

/* Returns the target of frame SLOT of TRACE, with its code; NULL if that cannot be read. */
static struct target *find_target(struct guesser *guesser, const struct trace *trace, size_t slot)
{
	struct object *object = resolver_slot_object(guesser->resolver, trace->sample, slot);

	if (!object || !object->image || &object->label != trace->user[slot]->object)
		return NULL;
	return target_of(&guesser->resolver->targets, object);
}

/*
 * Returns true if the next frame is not the caller of LEAF, at its first instruction: the call
 * there has another target.
 */
static bool is_skipped(struct guesser *guesser, const struct trace *trace, struct object_code *leaf)
{
	const struct location *last = trace->user[0], *caller = trace->user[1];
	const char *linkage = caller->frames[caller->n_frames - 1].linkage;
	/*
	 * The C library's start function calls main() indirectly. Without a name it is known by what
	 * it does with the result.
	 */
	bool main = linkage ? !strcmp(linkage, "__libc_start_call_main") : caller->end == END_FIRST;
	struct target *next = find_target(guesser, trace, 1);
	uint64_t entry = leaf->main;

	if (!next || !(main ? entry : guess_called(&next->code, caller->elf_address, &entry)))
		return false;
	return guess_cannot_reach(main ? leaf : &next->code, entry,
		main || last->object == caller->object ? last->elf_address : UINT64_MAX);
}

static void make_guess(struct guesser *guesser, const struct trace *trace, struct leaf_guess *guess)
{
	const struct location *leaf = trace->user[0], *next = trace->user[1];
	struct target *target = find_target(guesser, trace, 0);

	if (!target || (leaf->entered && !is_skipped(guesser, trace, &target->code)))
		return;
	bool found =
		guesser->resolver->targets.options->guess_callers && leaf->object == next->object &&
		guess_caller(&target->code, leaf->elf_address, next->elf_address, &guess->found);
	if (!found && !leaf->entered)
		return;
	guess->leaf = arena_clone(&guesser->memory, leaf, sizeof(*leaf));
	guess->leaf->serial = ++guesser->resolver->serials;
	if (leaf->entered)
		guess->leaf->lost_caller = CALLER_PROLOGUE;
	if (found)
		want_name(guesser, target, guess);
}

void guesser_look(struct guesser *guesser, struct trace *trace, const struct location **leaf)
{
	bool added;

	if (!is_asked(trace, guesser->resolver->targets.options->guess_callers))
		return;
	const uint64_t key[] = {trace->user[0]->serial, trace->user[1]->serial};
	uint64_t *value = table_at(&guesser->by_pair, key, sizeof(key), &added);
	if (added) {
		struct leaf_guess *guess = arena_alloc(&guesser->memory, sizeof(*guess));

		*guess = (struct leaf_guess){};
		*value = (uintptr_t)guess;
		make_guess(guesser, trace, guess);
	}
	const struct guessed_trace guessed = {trace, (struct leaf_guess *)(uintptr_t)*value};
	if (!guessed.guess->leaf)
		return;
	*leaf = guessed.guess->leaf;
	trace->user_health.kinds |= 1U << HEALTH_LOST_CALLER;
	if (guessed.guess->caller)
		vec_push(&guesser->traces, guessed);
}

/*
 * Accepts the guessed caller if it got the name of the expected function. If the call in it is not
 * known, keeps only the function, without line and inlined frames.
 */
static void settle(struct guesser *guesser, struct leaf_guess *guess)
{
	struct location *caller = guess->caller;
	const struct frame *last = &caller->frames[caller->n_frames - 1];

	guess->leaf->caller_guessed = caller->status == FRAME_NAMED && last->has_offset &&
				      caller->elf_address - last->offset == guess->found.function;
	if (!guess->leaf->caller_guessed || caller->elf_address != guess->found.function)
		return;
	struct frame *frame = arena_alloc(&guesser->memory, sizeof(*frame));
	*frame = (struct frame){.function = last->function,
		.shown = last->shown,
		.linkage = last->linkage,
		.qualifier = last->qualifier};
	caller->frames = frame;
	caller->n_frames = 1;
	caller->has_elf_address = false;
}

void guesser_finish(struct guesser *guesser)
{
	if (guesser->fresh.len)
		targets_resolve(&guesser->resolver->targets);
	vec_each_value(guess, &guesser->fresh)
		settle(guesser, guess);
	vec_each(guessed, &guesser->traces) {
		struct trace *trace = guessed->trace;
		size_t n = trace->n_user;

		if (!guessed->guess->leaf->caller_guessed)
			continue;
		const struct location **slots =
			arena_alloc(&guesser->slots, (n + 1) * sizeof(*slots));
		slots[0] = trace->user[0];
		slots[1] = guessed->guess->caller;
		memcpy(slots + 2, trace->user + 1, (n - 1) * sizeof(*slots));
		trace->user = slots;
		trace->n_user++;
	}
}
