// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/unwinder.h"

#include <stdlib.h>
#include <string.h>

#include "object/trampoline.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* The state of unwinding a snapshot. */
struct unwound_process {
	struct unwinder *unwinder;
	const struct sample *sample;
	bool timeless;
	bool repeats;		 /* the code at a pc does not depend on the time */
	struct unwind_code code; /* otherwise: the last code found */
};

/* Finds a rule by the function of ADDRESS in TARGET if no table has one. */
static bool find_rule_by_code(
	struct unwinder *unwinder, struct target *target, uint64_t address, struct unwind_rule *ret)
{
	enum { POP_RBP = 0x5d, LEAVE = 0xc9 };
	const struct elf_image *image = target->object->image;
	struct debug_answer answer;
	uint8_t before;

	debug_resolve(target->debug, &address, 1, &unwinder->memory, &answer);
	const struct frame *frame = &answer.frames[answer.n_frames - 1];
	if (answer.status != FRAME_NAMED || !frame->has_offset)
		return false;
	uint64_t start = address - frame->offset;
	if (start == image->ehdr.e_entry && elf_image_is_program(image)) {
		/* the entry point has no caller */
		*ret = (struct unwind_rule){.start = address,
			.end = address + 1,
			.machine = image->ehdr.e_machine,
			.ra = {.kind = UNWIND_UNDEFINED}};
		return true;
	}
	/*
	 * x86-64 code that has set up its frame. Right before a return, following the frame pointer
	 * would skip the caller.
	 */
	if (image->ehdr.e_machine != EM_X86_64 ||
		code_fp_use(&target->code, start, address) != FP_FRAME ||
		!elf_image_bytes(image, address - 1, &before, 1) || before == POP_RBP ||
		before == LEAVE)
		return false;
	*ret = (struct unwind_rule){.start = address,
		.end = address + 1,
		.machine = EM_X86_64,
		.cfa = {.kind = UNWIND_VALUE, .base = AMD64_RBP, .offset = 16},
		.ra = {.kind = UNWIND_MEMORY, .base = UNWIND_CFA, .offset = -8}};
	array_each(place, ret->registers, UNWIND_REGISTERS)
		place->kind = UNWIND_UNDEFINED;
	ret->registers[AMD64_RSP] = (struct unwind_place){.kind = UNWIND_VALUE, .base = UNWIND_CFA};
	ret->registers[AMD64_RBP] =
		(struct unwind_place){.kind = UNWIND_MEMORY, .base = UNWIND_CFA, .offset = -16};
	return true;
}

/* Returns the rule at an ELF address of OBJECT, never NULL. */
static const struct cached_rule *rule_at(
	struct unwinder *unwinder, struct object *object, uint64_t address)
{
	static const unsigned sources[] = {
		[UNWIND_AUTO] = UNWIND_ANY,
		[UNWIND_BY_SFRAME] = UNWIND_SFRAME,
		[UNWIND_BY_CFI] = UNWIND_CFI,
	};
	enum unwind_mode mode = unwinder->targets->options->unwind;
	struct unwind_rule rule;
	bool added;
	struct cached_rule *cached =
		rule_cache_at(&unwinder->rules, object->number, address, &added);

	if (!added)
		return cached;
	cached->reason = NULL;
	cached->found = false;
	if (mode == UNWIND_BY_FP)
		return cached;
	struct target *target = target_of(unwinder->targets, object);
	cached->found =
		debug_unwind_rule(target->debug, address, sources[mode], &rule, &cached->reason);
	if (!cached->found && mode == UNWIND_AUTO)
		cached->found = find_rule_by_code(unwinder, target, address, &rule);
	if (cached->found)
		compiled_rule_init(&cached->rule, &rule);
	return cached;
}

static struct place *place_at(const struct unwound_process *process, uint64_t pc)
{
	return place_of(process->unwinder->places, process->sample, PLACE_PROCESS,
		process->timeless, pc, NULL);
}

/*
 * Recognizes x86-64 instructions that remove the frame: pop, ret, and the lea -8(%r10),%rsp between
 * leave and ret of a realigned stack.
 */
static enum unwind_epilogue epilogue_at(const struct elf_image *image, uint64_t address)
{
	uint8_t code[4];

	if (image->ehdr.e_machine != EM_X86_64 ||
		!elf_image_bytes(image, address, code, sizeof(code)))
		return EPILOGUE_NO;
	if (code[0] == 0xc3 || code[0] == 0xc2 || (code[0] == 0xf3 && code[1] == 0xc3) ||
		!memcmp(code, "\x49\x8d\x62\xf8", sizeof(code)))
		return EPILOGUE_END;
	uint8_t pop = code[0] == 0x41 ? code[1] : code[0];

	return (pop & 0xf8) == 0x58 ? EPILOGUE_POP : EPILOGUE_NO;
}

static void look_up(
	const struct unwound_process *process, uint64_t pc, bool exact, struct unwind_code *ret)
{
	const struct place *place = place_at(process, pc);
	enum unwind_mode mode = process->unwinder->targets->options->unwind;
	enum frame_status status = place->base.status;

	*ret = (struct unwind_code){.by_fp = mode == UNWIND_BY_FP};
	ret->code = status != FRAME_UNMAPPED && status != FRAME_PROCESS_CHANGED &&
		    status != FRAME_NOT_EXECUTABLE && status != FRAME_NOT_AN_ADDRESS &&
		    status != FRAME_OUTSIDE_SEGMENTS;
	if (!place->object) {
		/* JIT compilers emit no unwind tables, but usually frame pointers */
		if (place->jit || status == FRAME_ANONYMOUS)
			ret->by_fp |= mode == UNWIND_AUTO;
		else
			ret->by_fp &= place->base.object != NULL;
		ret->reason = frame_status_words[status].text;
		return;
	}
	ret->trampoline = place->trampoline;
	ret->machine = place->object->image->ehdr.e_machine;
	if (ret->trampoline)
		return;
	const struct cached_rule *cached =
		rule_at(process->unwinder, place->object, place->base.elf_address - !exact);
	ret->rule = cached->found ? &cached->rule : NULL;
	ret->reason = cached->reason;
	if (exact)
		ret->epilogue = epilogue_at(place->object->image, place->base.elf_address);
	/* the pc may be in the system call that ends the trampoline, with the same registers */
	if (exact && !ret->rule)
		ret->trampoline =
			place_at(process, pc - trampoline_length(place->object->image))->trampoline;
}

/* Caches code by pc, as pcs repeat. In a recording the code depends on the time too. */
static const struct unwind_code *find_code(void *context, uint64_t pc, bool exact)
{
	struct unwound_process *process = context;
	struct unwinder *unwinder = process->unwinder;

	if (!process->repeats) {
		look_up(process, pc, exact, &process->code);
		return &process->code;
	}
	struct unwound_pc *recent = &unwinder->recent[(pc ^ pc >> 12) % UNWINDER_RECENT];
	if (recent->round != unwinder->round || recent->pc != pc ||
		recent->pid != process->sample->pid || recent->exact != exact) {
		struct unwound_pc found = {.pc = pc, .pid = process->sample->pid, .exact = exact};

		look_up(process, pc, exact, &found.code);
		if (unwinder->clears != unwinder->rules.clears)
			unwinder->round++;
		unwinder->clears = unwinder->rules.clears;
		found.round = unwinder->round;
		*recent = found;
	}
	return &recent->code;
}

static bool is_called(void *context, uint64_t pc)
{
	const struct place *place = place_at(context, pc);

	return !place->object ||
	       trampoline_call_before(place->object->image, place->base.elf_address);
}

void unwinder_run(struct unwinder *unwinder, struct sample *sample)
{
	struct unwound_process process = {.unwinder = unwinder,
		.sample = sample,
		.timeless = place_is_timeless(unwinder->places, sample, PLACE_PROCESS),
		.repeats = !unwinder->places->spaces.recording && !sample->boot_id};
	const struct unwind_lookup lookup = {&process, find_code, is_called};
	uint64_t values[SNAPSHOT_DEPTH_MAX];
	struct unwound_frame frames[SNAPSHOT_DEPTH_MAX];
	struct unwound *unwound = arena_alloc(&unwinder->memory, sizeof(*unwound));

	if (!unwinder->recent)
		unwinder->recent = xcalloc(UNWINDER_RECENT, sizeof(*unwinder->recent));
	size_t n = unwind_walk(sample->snapshot, &lookup, values, frames, unwound);

	sample->user = (struct stack){
		.state = STACK_PRESENT,
		.id = -1,
		.depth = n,
		.values = arena_clone(&unwinder->memory, values, n * sizeof(*values)),
		.truncated = unwound->end != UNWOUND_OUTERMOST,
		.unmarked = true,
		.unwound = unwound,
	};
	unwound->frames = arena_clone(&unwinder->memory, frames, n * sizeof(*frames));
}

void unwinder_begin(struct unwinder *unwinder, bool forgotten)
{
	arena_clear(&unwinder->memory);
	if (forgotten)
		rule_cache_clear(&unwinder->rules);
	unwinder->round++;
	unwinder->clears = unwinder->rules.clears;
}

void unwinder_deinit(struct unwinder *unwinder)
{
	rule_cache_clear(&unwinder->rules);
	free(unwinder->recent);
	arena_deinit(&unwinder->memory);
}
