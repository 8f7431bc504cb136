// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/walk.h"

#include <elf.h>
#include <string.h>

enum { RULES_MAX = 1 << 15 }; /* about 600 bytes each */

void compiled_rule_init(struct compiled_rule *compiled, const struct unwind_rule *rule)
{
	/* on x86-64 the return address column is not a register of the caller */
	unsigned n = rule->machine == EM_X86_64 ? AMD64_RIP : UNWIND_REGISTERS;

	*compiled = (struct compiled_rule){.rule = *rule};
	for (unsigned i = 0; i < n; i++) {
		enum unwind_kind kind = (enum unwind_kind)rule->registers[i].kind;

		if (kind == UNWIND_UNDEFINED)
			compiled->lost |= 1ULL << i;
		else if (kind != UNWIND_SAME)
			compiled->changed[compiled->n_changed++] = (uint8_t)i;
	}
}

void rule_cache_clear(struct rule_cache *cache)
{
	table_deinit(&cache->by_address);
	arena_deinit(&cache->memory);
	cache->clears++;
}

struct cached_rule *rule_cache_at(
	struct rule_cache *cache, size_t object, uint64_t address, bool *added_ret)
{
	const uint64_t key[] = {object, address};

	if (cache->by_address.len >= RULES_MAX)
		rule_cache_clear(cache);
	uint64_t *value = table_at(&cache->by_address, key, sizeof(key), added_ret);
	if (*added_ret)
		*value = (uintptr_t)arena_alloc(&cache->memory, sizeof(struct cached_rule));
	return (struct cached_rule *)(uintptr_t)*value;
}

#define NEAR (8ULL << 20) /* likely still stack, in bytes beyond the copy: usual RLIMIT_STACK */
#define SIGNAL_NEAR                                                                                \
	(64ULL << 10) /* most bytes that the kernel puts between signal frame and interrupted SP */
#define VA_MASK ((1ULL << 48) - 1) /* AArch64: pointer authentication uses the bits above */

struct unwind_state {
	const struct stack_snapshot *snapshot;
	const struct unwind_machine *machine;
	const struct unwind_lookup *lookup;
	uint64_t base; /* address of the copy */
	uint64_t known, registers[SNAPSHOT_REGISTERS];
	/* the frame's pc, and the step that yielded it */
	uint64_t pc;
	bool exact;
	enum unwound_by by;
	const struct unwind_code *code; /* at PC */
	enum unwound_end end;		/* why the last step failed */
	const char *detail;
};

static inline bool read_register(void *context, unsigned number, uint64_t *ret)
{
	struct unwind_state *walk = context;

	if (number >= SNAPSHOT_REGISTERS || !(walk->known >> number & 1)) {
		walk->end = UNWOUND_NO_VALUE;
		return false;
	}
	*ret = walk->registers[number];
	return true;
}

static inline bool read_memory(void *context, uint64_t address, unsigned size, uint64_t *ret)
{
	struct unwind_state *walk = context;
	uint64_t offset = address - walk->base, len = walk->snapshot->len, word = 0;

	if (offset > len || len - offset < size || size > sizeof(word)) {
		bool near = address >= walk->base && offset < len + NEAR;

		walk->end = near ? UNWOUND_COPY_ENDED : UNWOUND_OFF_STACK;
		return false;
	}
	memcpy((uint8_t *)&word +
			(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(word) - size : 0),
		walk->snapshot->stack + offset, size);
	*ret = word;
	return true;
}

static void set_register(struct unwind_state *walk, unsigned number, uint64_t value)
{
	walk->registers[number] = value;
	walk->known |= 1ULL << number;
}

/*
 * Completes a step that yielded PC. Returns false if PC is 0, which ends a chain of frame pointers.
 * If a rule yields 0, the first function of a thread is not marked as outermost, or the registers
 * do not belong together.
 */
static bool found(struct unwind_state *walk, uint64_t pc, bool exact, enum unwound_by by)
{
	if (walk->snapshot->machine == SNAPSHOT_AARCH64)
		pc &= VA_MASK;
	if (!pc) {
		walk->end = by == UNWOUND_BY_FP ? UNWOUND_OUTERMOST : UNWOUND_NOT_CODE;
		walk->detail = by == UNWOUND_BY_FP ? NULL : "it is 0";
		return false;
	}
	walk->pc = pc;
	walk->exact = exact;
	walk->by = by;
	return true;
}

/* ---- by a rule ------------------------------------------------------------------------------ */

/*
 * Works like unwind_value(), with a fast path for the two kinds of nearly all places. Words have 8
 * bytes here.
 */
static inline bool value_at(struct unwind_state *walk, const struct unwind_rule *rule,
	const struct unwind_place *place, unsigned reg, uint64_t cfa, uint64_t *ret)
{
	uint64_t value = cfa;

	if (place->kind != UNWIND_VALUE && place->kind != UNWIND_MEMORY) {
		const struct unwind_frame frame = {walk, read_register, read_memory};

		return unwind_value(rule, place, reg, cfa, &frame, ret);
	}
	if (place->base != UNWIND_CFA && !read_register(walk, place->base, &value))
		return false;
	value += (uint64_t)(int64_t)place->offset;
	if (place->kind == UNWIND_MEMORY)
		return read_memory(walk, value, sizeof(value), ret);
	*ret = value;
	return true;
}

/*
 * Returns true if the register that the rule finds at PLACE has already been restored, which CFI
 * does not record. Either it was popped, from below SP; or it is FP, saved at FP, after gcc
 * realigned the stack (rule.c), and the CFA no longer depends on FP.
 */
static bool is_popped(
	const struct unwind_state *walk, const struct unwind_place *place, uint64_t cfa)
{
	const struct unwind_rule *rule = &walk->code->rule->rule;
	enum unwind_epilogue epilogue = walk->code->epilogue;
	unsigned fp = walk->machine->fp;

	if (place->kind != UNWIND_MEMORY)
		return false;
	if (place->base == UNWIND_CFA)
		return epilogue != EPILOGUE_NO &&
		       cfa + (uint64_t)(int64_t)place->offset < walk->registers[walk->machine->sp];
	return place == &rule->registers[fp] && place->base == fp &&
	       rule->cfa.kind == UNWIND_VALUE && rule->cfa.base != fp &&
	       (epilogue == EPILOGUE_END || rule->cfa.base == AMD64_RSP);
}

/* Replaces the frame's registers in WALK by the caller's, which the rule finds. */
static void restore(struct unwind_state *walk, uint64_t cfa)
{
	const struct compiled_rule *compiled = walk->code->rule;
	const struct unwind_rule *rule = &compiled->rule;
	uint64_t values[SNAPSHOT_REGISTERS], changed = 0, lost = compiled->lost;

	for (unsigned n = 0; n < compiled->n_changed; n++) {
		unsigned i = compiled->changed[n];
		const struct unwind_place *place = &rule->registers[i];
		if (is_popped(walk, place, cfa))
			continue;
		if (value_at(walk, rule, place, i, cfa, &values[i]))
			changed |= 1ULL << i;
		else
			lost |= 1ULL << i;
	}
	walk->known = (walk->known & ~lost) | changed;
	for (; changed; changed &= changed - 1) {
		unsigned i = (unsigned)__builtin_ctzll(changed);

		walk->registers[i] = values[i];
	}
	if (rule->registers[walk->machine->sp].kind == UNWIND_SAME)
		set_register(walk, walk->machine->sp, cfa);
	/* after a call, the return address register is free for other uses */
	if (!rule->signal_frame)
		walk->known &= ~(1ULL << walk->machine->ra);
}

static bool step_by_rule(struct unwind_state *walk)
{
	const struct unwind_rule *rule = &walk->code->rule->rule;
	unsigned sp = walk->machine->sp;
	uint64_t cfa, pc, from = walk->registers[sp], to;

	walk->end = UNWOUND_OUTERMOST;
	if (rule->ra.kind == UNWIND_UNDEFINED)
		return false;
	walk->end = UNWOUND_NO_VALUE;
	if (walk->snapshot->machine == SNAPSHOT_AMD64 && rule->ra.kind == UNWIND_SAME)
		/* the rule names the pc's own column, a register that no call sets */
		return false;
	if (!value_at(walk, rule, &rule->cfa, sp, 0, &cfa) ||
		!value_at(walk, rule, &rule->ra, walk->machine->ra, cfa, &pc))
		return false;
	restore(walk, cfa);
	walk->end = UNWOUND_NO_VALUE;
	if (!read_register(walk, sp, &to))
		return false;
	/*
	 * A signal can interrupt code with any SP; otherwise the caller's SP is above. Leaf
	 * functions may leave SP unchanged, so an exact pc allows that.
	 */
	walk->end = UNWOUND_OFF_STACK;
	if (!rule->signal_frame && to <= from && !(walk->exact && to == from))
		return false;
	enum unwound_by by = rule->source == UNWIND_SFRAME	  ? UNWOUND_BY_SFRAME
			     : rule->source == UNWIND_EH_FRAME	  ? UNWOUND_BY_EH_FRAME
			     : rule->source == UNWIND_DEBUG_FRAME ? UNWOUND_BY_DEBUG_FRAME
								  : UNWOUND_BY_FP;
	return found(walk, pc, rule->signal_frame, by);
}

/* ---- without a rule ------------------------------------------------------------------------- */

/*
 * Steps over a signal frame (`trampoline`): reads the registers that the kernel saved for the
 * handler (include/uapi/asm/ucontext.h and sigcontext.h of x86 and arm64).
 */
static bool step_by_signal(struct unwind_state *walk)
{
	static const uint8_t amd64[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16};
	bool arm = walk->snapshot->machine == SNAPSHOT_AARCH64;
	uint64_t from, at, pc = 0;
	struct unwind_state interrupted = *walk;

	if (!read_register(walk, walk->machine->sp, &from))
		return false;
	/* skip siginfo on arm64, and the fields of struct ucontext before the registers */
	at = from + (arm ? 128 + 176 + 8 : 40);
	for (unsigned i = 0; i < (arm ? SNAPSHOT_REGISTERS : sizeof(amd64)); i++) {
		if (!read_memory(walk, at + 8ULL * i, 8, &pc))
			return false;
		set_register(&interrupted, arm ? i : amd64[i], pc);
	}
	*walk = interrupted;
	uint64_t sp = walk->registers[walk->machine->sp], end = walk->base + walk->snapshot->len;
	walk->end = sp > end && sp - from < SIGNAL_NEAR ? UNWOUND_COPY_ENDED : UNWOUND_OFF_STACK;
	if (sp < walk->base || sp > end)
		walk->detail = "the signal came on another stack, or far up on this one";
	return found(walk, pc, true, UNWOUND_BY_SIGNAL);
}

/* Reads the caller's frame pointer and the return address, which FP points to. */
static bool step_by_fp(struct unwind_state *walk)
{
	unsigned sp = walk->machine->sp, fp = walk->machine->fp;
	uint64_t from = walk->registers[sp], at, caller, pc;

	if (!read_register(walk, fp, &at))
		return false;
	walk->end = at ? UNWOUND_OFF_STACK : UNWOUND_OUTERMOST;
	if (at < from || at % 8 || !read_memory(walk, at, 8, &caller) ||
		!read_memory(walk, at + 8, 8, &pc))
		return false;
	walk->known = 0;
	set_register(walk, sp, at + 16);
	set_register(walk, fp, caller);
	return found(walk, pc, false, UNWOUND_BY_FP);
}

static bool step(struct unwind_state *walk)
{
	const struct unwind_code *code = walk->code;

	if (code->trampoline)
		return step_by_signal(walk);
	if (code->rule && code->rule->rule.machine == walk->machine->machine)
		return step_by_rule(walk);
	if (code->by_fp && walk->machine->fp_walk)
		return step_by_fp(walk);
	walk->end = UNWOUND_NO_RULE;
	walk->detail = code->reason;
	return false;
}

/* ---- the walk ------------------------------------------------------------------------------- */

/* Returns true if a step led to code. A pc by the frame pointer alone must follow a call. */
static bool is_caller(struct unwind_state *walk)
{
	const struct unwind_lookup *lookup = walk->lookup;
	const struct unwind_code *code = lookup->find(lookup->context, walk->pc, walk->exact);

	walk->code = code;
	if (code->code && (walk->by != UNWOUND_BY_FP || code->trampoline ||
				  lookup->is_called(lookup->context, walk->pc)))
		return true;
	walk->end = UNWOUND_NOT_CODE;
	return false;
}

static bool start(struct unwind_state *walk)
{
	const struct stack_snapshot *snapshot = walk->snapshot;
	bool arm = snapshot->machine == SNAPSHOT_AARCH64;
	unsigned pc = arm ? AARCH64_PC : AMD64_RIP;

	memcpy(walk->registers, snapshot->registers, sizeof(walk->registers));
	walk->known = snapshot->known & ~(1ULL << pc);
	walk->pc = snapshot->registers[pc];
	walk->exact = true;
	walk->machine = unwind_machine(arm ? EM_AARCH64 : EM_X86_64);
	if (!is_caller(walk))
		return false;
	walk->end = UNWOUND_MACHINE;
	if (walk->code->machine && walk->code->machine != walk->machine->machine)
		return false;
	walk->base = walk->registers[walk->machine->sp];
	return true;
}

size_t unwind_walk(const struct stack_snapshot *snapshot, const struct unwind_lookup *lookup,
	uint64_t *values, struct unwound_frame *frames, struct unwound *ret)
{
	struct unwind_state walk = {.snapshot = snapshot, .lookup = lookup};
	bool on = start(&walk);
	size_t n = 0;

	for (;;) {
		frames[n].exact = walk.exact || walk.code->trampoline;
		frames[n].by = UNWOUND_BY_NOTHING;
		values[n++] = walk.pc;
		/* rules of PLT stubs need it */
		if (snapshot->machine == SNAPSHOT_AMD64)
			set_register(&walk, AMD64_RIP, walk.pc);
		if (!on || !step(&walk) || !is_caller(&walk))
			break;
		walk.end = UNWOUND_DEPTH;
		if (n == SNAPSHOT_DEPTH_MAX)
			break;
		frames[n - 1].by = (uint8_t)walk.by;
	}
	*ret = (struct unwound){walk.end, walk.detail, snapshot->len, frames};
	return n;
}
