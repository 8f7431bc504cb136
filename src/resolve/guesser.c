// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/guesser.h"

#include <string.h>

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

/* Returns the target of frame SLOT of TRACE, with its code; NULL if that cannot be read. */
static struct target *find_target(struct guesser *guesser, const struct trace *trace, size_t slot)
{
	struct object *object = resolver_slot_object(guesser->resolver, trace->sample, slot);

	if (!object || !object->image || &object->label != trace->user[slot]->object)
		return NULL;
	return target_of(&guesser->resolver->targets, object);
}

/*
 * Returns whether the call in the next frame reaches LEAF, which is at its first instruction: if it
 * does not, the next frame is not the caller.
 */
static enum reach reach_of_call(
	struct guesser *guesser, const struct trace *trace, struct object_code *leaf)
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
		return REACH_MAYBE;
	if (main || last->object == caller->object)
		return guess_reach(main ? leaf : &next->code, entry, last->elf_address);
	/* what leads to another object, such as a stub of the PLT, is taken to lead to the leaf */
	return guess_reach(&next->code, entry, UINT64_MAX) ? REACH_JUMPS : REACH_NO;
}

/* Notes in GUESS what is found, and requests the caller's name. */
static void make_guess(struct guesser *guesser, const struct trace *trace, struct leaf_guess *guess)
{
	const struct location *leaf = trace->user[0], *next = trace->user[1];
	struct guessed_caller *found = &guess->found;
	struct resolver *resolver = guesser->resolver;
	struct target *target = find_target(guesser, trace, 0);

	if (!target)
		return;
	enum reach reach = leaf->entered ? reach_of_call(guesser, trace, &target->code) : REACH_NO;
	if (reach == REACH_JUMPS)
		return;
	bool guessed = !reach && resolver->targets.options->guess_callers &&
		       leaf->object == next->object &&
		       guess_caller(&target->code, leaf->elf_address, next->elf_address, found);
	if (!guessed && !leaf->entered)
		return;
	guess->leaf = arena_clone(&guesser->memory, leaf, sizeof(*leaf));
	guess->leaf->serial = ++resolver->serials;
	guess->leaf->unjudged = reach == REACH_MAYBE;
	if (leaf->entered && !reach)
		guess->leaf->lost_caller = CALLER_PROLOGUE;
	if (!guessed)
		return;
	struct location *caller = arena_alloc(&guesser->memory, sizeof(*caller));
	*caller = (struct location){.kind = LOCATION_USER,
		.object = leaf->object,
		.elf_address = found->site ? found->site : found->function,
		.has_elf_address = true,
		.doubtful = true,
		.guessed = true,
		.serial = ++resolver->serials,
		.detail = found->site
				  ? "guessed: frame pointers skipped it; the next frame calls it, "
				    "and it calls the frame before at this place only"
				  : "guessed: frame pointers skipped it; the next frame calls it, "
				    "and it calls the frame before, at an unknown line"};
	guess->caller = caller;
	/* without a known call, name it by the function's first byte */
	const struct want want = {.address = caller->elf_address - (found->site != 0),
		.exact = !found->site,
		.location = caller};
	vec_push(&target->wants, want);
	vec_push(&guesser->fresh, guess);
}

void guesser_look(struct guesser *guesser, struct trace *trace, const struct location **leaf_slot)
{
	const struct stack *stack = &trace->sample->user;
	bool added;

	if (stack->exact || stack->known || stack->unwound || trace->n_user < 2)
		return;
	const struct location *leaf = trace->user[0], *next = trace->user[1];
	bool lost = guesser->resolver->targets.options->guess_callers &&
		    leaf->object == next->object &&
		    (leaf->lost_caller == CALLER_LEAF || leaf->lost_caller == CALLER_PROLOGUE);
	if (!(leaf->entered || (lost && leaf->status == FRAME_NAMED)) || !leaf->object ||
		!next->object || !is_sure(leaf) || !is_sure(next))
		return;
	const uint64_t key[] = {leaf->serial, next->serial};
	uint64_t *value = table_at(&guesser->by_pair, key, sizeof(key), &added);
	if (added) {
		struct leaf_guess *made = arena_alloc(&guesser->memory, sizeof(*made));

		*made = (struct leaf_guess){};
		*value = (uintptr_t)made;
		make_guess(guesser, trace, made);
	}
	struct leaf_guess *guess = (struct leaf_guess *)(uintptr_t)*value;
	if (!guess->leaf)
		return;
	*leaf_slot = guess->leaf;
	trace->user_health.kinds |=
		1U << (guess->leaf->unjudged ? HEALTH_UNJUDGED : HEALTH_LOST_CALLER);
	if (guess->caller)
		vec_push(&guesser->traces, ((struct guessed_trace){trace, guess}));
}

void guesser_finish(struct guesser *guesser)
{
	if (guesser->fresh.len)
		targets_resolve(&guesser->resolver->targets);
	vec_each_value(guess, &guesser->fresh) {
		struct location *caller = guess->caller;
		const struct frame *last = &caller->frames[caller->n_frames - 1];
		bool is_start = caller->elf_address == guess->found.function;

		/* accept it if it got the name of the expected function */
		guess->leaf->caller_guessed =
			caller->status == FRAME_NAMED && last->has_offset &&
			caller->elf_address - last->offset == guess->found.function;
		if (!guess->leaf->caller_guessed || !is_start)
			continue;
		/* the call in it is unknown: keep only the function, without line and inlines */
		struct frame *frame = arena_alloc(&guesser->memory, sizeof(*frame));
		*frame = (struct frame){.function = last->function,
			.shown = last->shown,
			.linkage = last->linkage,
			.qualifier = last->qualifier};
		caller->frames = frame;
		caller->n_frames = 1;
		caller->has_elf_address = false;
	}
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
