// SPDX-License-Identifier: GPL-2.0-or-later
#include "health/caller.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

/*
 * Functions where programs and threads begin, sorted: of glibc, musl, Android, boost.context and
 * Go, whose runtime switches stacks. Their callers, if any, are not reported as missing.
 */
static const char *const starts[] = {"_ZL15__pthread_startPv", "__bionic_clone", "__clone",
	"__clone3", "__libc_init", "__libc_start_call_main", "__libc_start_main",
	"__libc_start_main_alias_2", "__libc_start_main_impl", "__start_context", "__start_thread",
	"_dl_start_user", "_dlstart", "_rt0_amd64", "_rt0_amd64_linux", "_rt0_arm64_linux",
	"_start", "_start_c", "clone", "clone3", "libc_start_main_stage2", "main", "make_fcontext",
	"runtime.asmcgocall", "runtime.goexit", "runtime.gogo", "runtime.mcall",
	"runtime.morestack", "runtime.mstart", "runtime.rt0_go", "runtime.systemstack",
	"runtime.systemstack_switch", "start", "start_c11", "start_thread", "thread_start"};

/*
 * Compares the linkage name KEY with a name of `starts`, ignoring symbol versions of glibc and the
 * suffix of Go's assembly functions ("runtime.mcall.abi0").
 */
static int compare_start(const void *key, const void *start)
{
	const char *name = key, *with = *(const char *const *)start;

	for (; *name && *name == *with; name++)
		with++;
	bool ends = !*name || *name == '@' || !strcmp(name, ".abi0");
	return (ends ? 0 : *name) - *with;
}

/* Sets RET to the ELF address where the function of LOCATION begins. Returns false if unknown. */
static bool function_start(const struct location *location, uint64_t *ret)
{
	const struct frame *frame = &location->frames[location->n_frames - 1];

	if (!location->has_elf_address || (!frame->has_offset && !location->has_start))
		return false;
	*ret = frame->has_offset ? location->elf_address - frame->offset : location->start;
	return true;
}

static enum stack_end end_of(struct object_code *code, const struct location *location, bool exact)
{
	enum { INSTRUCTIONS = 6 };
	const char *linkage = location->frames[location->n_frames - 1].linkage;
	uint64_t start, address = location->elf_address;
	struct flow flow = {};

	if (function_start(location, &start) && start &&
		(start == code->entry || start == code->main))
		return start == code->entry ? END_ENTRY : END_MAIN;
	if (linkage) {
		if (!bsearch(linkage, starts, array_len(starts), sizeof(*starts), compare_start))
			return END_NOT;
		return strcmp(linkage, "main") != 0 ? END_FIRST : END_MAIN;
	}
	if (exact)
		return END_NOT;
	/*
	 * The code at the return address may pass its result to exit(3). __libc_start_call_main()
	 * does so with the result of main(), and has no symbol after stripping.
	 */
	if (!code->exit && !debug_only_symbol(code->debug, "exit", &code->exit))
		code->exit = UINT64_MAX;
	for (int i = 0; code->exit != UINT64_MAX && i < INSTRUCTIONS && flow.kind == FLOW_NEXT &&
			!flow.ends;
		i++)
		address += code_flow_at(code, address, &flow);
	bool hands_to_exit = flow.kind == FLOW_CALL && !flow.indirect && flow.target == code->exit;
	return hands_to_exit ? END_FIRST : END_NOT;
}

/* ---- code ----------------------------------------------------------------------------------- */

/* Returns what the function of LOCATION has done to FP before LOOKUP. */
static enum fp_use fp_use_at(
	struct object_code *code, const struct location *location, uint64_t lookup)
{
	uint64_t start;

	return function_start(location, &start) ? code_fp_use(code, start, lookup) : FP_UNKNOWN;
}

/* ---- unwind rules --------------------------------------------------------------------------- */

/*
 * Returns true if RULE saves FP like any other register, not for a frame: the CFA is relative to
 * SP. POPPED: FP must have been restored, that is its save area must be below SP; or must not.
 */
static bool saves_fp(const struct unwind_rule *rule, bool popped)
{
	const struct unwind_machine *machine = unwind_machine(rule->machine);
	const struct unwind_place *fp = &rule->registers[machine->fp];

	return fp->kind == UNWIND_MEMORY && fp->base == UNWIND_CFA &&
	       rule->cfa.kind == UNWIND_VALUE && rule->cfa.base == machine->sp &&
	       ((int64_t)rule->cfa.offset + fp->offset < 0) == popped;
}

bool health_keeps_fp(struct object_code *code, uint64_t start, uint64_t pc)
{
	struct unwind_rule rule;

	if (!debug_unwind_rule(code->debug, pc, UNWIND_SFRAME | UNWIND_EH_FRAME, &rule, NULL))
		return false;
	return rule.registers[unwind_machine(rule.machine)->fp].kind == UNWIND_SAME ||
	       saves_fp(&rule, true) ||
	       (saves_fp(&rule, false) && (code_walk(code, rule.end) == UNWIND_FP_RIGHT ||
						  code_fp_use(code, start, pc) == FP_KEPT));
}

/* Returns what the walk does where LOCATION is, NULL if there is no rule. */
static const struct walk_range *range_at(
	struct object_code *code, uint64_t lookup, const struct location *location)
{
	struct walk_range *range = &code->range;
	struct unwind_rule rule;

	if (lookup >= range->start && lookup < range->end)
		return range;
	if (!debug_unwind_rule(code->debug, lookup, UNWIND_ANY, &rule, NULL))
		return NULL;
	const struct unwind_machine *machine = unwind_machine(rule.machine);
	enum unwind_fp_walk walk = unwind_fp_walk(&rule);
	bool lost = walk == UNWIND_FP_LOST;
	/* The CFI of OCaml and of hand-written assembly gives the CFA, but no registers. */
	if (lost && rule.registers[machine->fp].kind == UNWIND_SAME &&
		rule.cfa.base == machine->sp && rule.cfa.offset >= 2 * machine->word &&
		fp_use_at(code, location, lookup) == FP_FRAME)
		walk = UNWIND_FP_RIGHT;
	*range = (struct walk_range){rule.start, rule.end, walk, lost && saves_fp(&rule, false)};
	return range;
}

static enum unwind_fp_walk walk_at(
	struct object_code *code, uint64_t lookup, bool exact, struct location *location)
{
	const struct walk_range *range = range_at(code, lookup, location);
	struct flow flow;
	uint8_t before[8];

	if (!range) {
		/*
		 * Without a rule, judge by the code alone. PLT stubs have no frame, and a function
		 * has dropped its frame when it is at its return instruction.
		 */
		if (exact && location->source == SOURCE_PLT)
			return UNWIND_FP_LOST;
		if (fp_use_at(code, location, lookup) != FP_FRAME)
			return UNWIND_FP_UNKNOWN;
		bool returns =
			exact && code_flow_at(code, lookup, &flow) && flow.kind == FLOW_RETURN;
		return returns ? UNWIND_FP_LOST : UNWIND_FP_RIGHT;
	}
	location->misled = range->saved && fp_use_at(code, location, lookup) == FP_DATA;
	if (range->walk != UNWIND_FP_UNKNOWN)
		return range->walk;
	if (!exact)
		return UNWIND_FP_RIGHT;
	/* Go code with a frame may not have set FP to it yet, or just loaded the caller's again */
	bool bare = fp_use_at(code, location, lookup) == FP_KEPT ||
		    (code->arch->go_loads_fp &&
			    elf_image_bytes(
				    code->image, lookup - sizeof(before), before, sizeof(before)) &&
			    code->arch->go_loads_fp(before));
	return bare ? UNWIND_FP_LOST : UNWIND_FP_RIGHT;
}

/* ---- the leaf ------------------------------------------------------------------------------- */

/*
 * Returns why the leaf LOCATION lost its caller. At some entries of functions the kernel, for a
 * uprobe, adds the caller from the stack (arch/x86/events/core.c, is_uprobe_at_func_entry(), since
 * Linux 6.11). It does not do so for a timer sample at the same address, and LOCATION does not show
 * which of the two it was: sets entered then.
 */
static enum lost_caller lost_by_leaf(const struct object_code *code, struct location *location)
{
	enum { PUSH = 0x55, ENDBR64 = 0xfa1e0ff3, ROWS = 16 };
	uint64_t start, end, pc = location->elf_address;
	struct unwind_rule rule;
	uint8_t first[4];

	if (location->source == SOURCE_PLT)
		return CALLER_PLT;
	if (!function_start(location, &start))
		return CALLER_LEAF;
	location->entered = start == pc && code->arch->machine == EM_X86_64 &&
			    elf_image_bytes(code->image, pc, first, sizeof(first)) &&
			    (first[0] == PUSH || arch_word(first) == ENDBR64);
	if (location->entered)
		return CALLER_NONE;
	if (!debug_unwind_function(code->debug, pc, &start, &end))
		return CALLER_LEAF;
	/*
	 * The function has a frame if one of its first rows does. UNWIND_FP_UNKNOWN counts as one,
	 * because only the size of Go's frames is known.
	 */
	for (size_t i = 0; i < ROWS && start < end; i++, start = rule.end) {
		if (!debug_unwind_rule(code->debug, start, UNWIND_ANY, &rule, NULL))
			return CALLER_LEAF;
		if (unwind_fp_walk(&rule) != UNWIND_FP_LOST)
			return CALLER_PROLOGUE;
	}
	return CALLER_LEAF;
}

void health_caller(struct object_code *code, uint64_t lookup, bool exact, struct location *location)
{
	const struct unwind_machine *machine = unwind_machine(code->arch->machine);
	bool judged = machine && machine->fp_walk;

	if (!code->entry) {
		uint64_t entry = arch_code_address(code->arch, code->image->ehdr.e_entry);
		uint8_t bytes[ENTRY_CODE_LEN];

		code->entry = entry && elf_image_is_program(code->image) ? entry : UINT64_MAX;
		if (code->arch->find_main &&
			elf_image_bytes(code->image, code->entry, bytes, sizeof(bytes)))
			code->main = code->arch->find_main(bytes, entry);
	}
	if (exact && location->end == END_SIGNAL) {
		location->lost_caller = judged ? CALLER_SIGNAL : CALLER_NONE;
		return;
	}
	if (location->end == END_NOT)
		location->end = end_of(code, location, exact);
	/* a function that starts threads is also called, by the parent */
	if (!judged || (location->end != END_NOT && (!exact || location->end != END_FIRST)))
		return;
	enum unwind_fp_walk walk = walk_at(code, lookup, exact, location);
	location->unjudged = walk == UNWIND_FP_UNKNOWN;
	if (walk == UNWIND_FP_OUTERMOST)
		location->end = END_OUTERMOST;
	if (walk == UNWIND_FP_LOST)
		location->lost_caller = exact ? lost_by_leaf(code, location) : CALLER_FUNCTION;
}
