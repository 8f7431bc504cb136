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

/* Sets the addresses of the entry point and of main() in CODE if it is of a program. */
static void find_start(struct object_code *code)
{
	uint64_t start, entry = arch_code_address(code->arch, code->image->ehdr.e_entry);
	uint8_t bytes[ENTRY_CODE_LEN];

	code->looked_for_start = true;
	if (!entry || !elf_image_is_program(code->image))
		return;
	code->entry = entry;
	if (code->arch->find_main && elf_image_bytes(code->image, entry, bytes, sizeof(bytes)))
		code->main = code->main_end = code->arch->find_main(bytes, entry);
	if (code->main)
		debug_unwind_function(code->debug, code->main, &start, &code->main_end);
}

/*
 * Returns true if the code at the return address ADDRESS passes its result to exit(3).
 * __libc_start_call_main() does so with the result of main(), and has no symbol after stripping.
 */
static bool hands_to_exit(struct object_code *code, uint64_t address)
{
	enum { INSTRUCTIONS = 6 };
	uint8_t bytes[FLOW_CODE_MAX];
	struct flow flow = {};

	if (!code->looked_for_exit)
		(void)debug_only_symbol(code->debug, "exit", &code->exit);
	code->looked_for_exit = true;
	for (int i = 0; code->exit && i < INSTRUCTIONS && flow.kind == FLOW_NEXT && !flow.ends;
		i++) {
		if (!code->arch->flow ||
			!elf_image_bytes(code->image, address, bytes, sizeof(bytes)))
			return false;
		address += code->arch->flow(bytes, sizeof(bytes), address, &flow);
	}
	return flow.kind == FLOW_CALL && !flow.indirect && flow.target == code->exit;
}

static enum stack_end end_of(
	struct object_code *code, const struct location *location, uint64_t lookup)
{
	const char *linkage = location->frames[location->n_frames - 1].linkage;
	uint64_t start;

	if (code->entry && function_start(location, &start) && start == code->entry)
		return END_ENTRY;
	if (lookup >= code->main && lookup < code->main_end)
		return END_MAIN;
	if (!linkage && location->has_elf_address && lookup < location->elf_address)
		return hands_to_exit(code, location->elf_address) ? END_FIRST : END_NOT;
	if (!linkage ||
		!bsearch(linkage, starts, array_len(starts), sizeof(*starts), compare_start))
		return END_NOT;
	return strcmp(linkage, "main") != 0 ? END_FIRST : END_MAIN;
}

/* ---- code ----------------------------------------------------------------------------------- */

/* What the code of an x86 function has done to FP. */
enum fp_use {
	FP_UNKNOWN,
	FP_KEPT,  /* still the caller's */
	FP_FRAME, /* pushed, then set to the frame */
	FP_DATA,
};

/*
 * Returns what the instructions from START to LOOKUP, read in address order, have done to FP. FP
 * counts as the caller's if any path leads to LOOKUP without setting it. FP_FRAME is certain, and
 * returned, only if there is no jump before FP is set. For FP_DATA, sets in RANGE where else it
 * holds; NULL: only FP_FRAME is asked for. Reads CODE_MAX bytes, as this runs for addresses by the
 * million, and mostly FP is set soon.
 */
static enum fp_use use_of_fp(
	const struct object_code *code, uint64_t start, uint64_t lookup, struct walk_range *range)
{
	enum { CODE_MAX = 256, PUSH = 0x55, PUSHES = 0x50 };
	static const uint8_t set[] = {0x48, 0x89, 0xe5};
	const uint16_t machine = code->arch->machine;
	const size_t narrow = machine == EM_386, set_len = sizeof(set) - narrow;
	const size_t wanted = lookup - start, size = wanted < CODE_MAX ? wanted : CODE_MAX;
	bool pushed = false, plain = true, kept[CODE_MAX + 1] = {true};
	uint8_t bytes[CODE_MAX];
	/* targets of jumps that keep FP: the last one up to SIZE, the first one after it */
	size_t at = 0, len, last = 0, next = SIZE_MAX;
	struct flow flow;

	if ((machine != EM_X86_64 && !narrow) || lookup < start ||
		!elf_image_bytes(code->image, start, bytes, size))
		return FP_UNKNOWN;
	for (; at < size && (plain || range); at += len) {
		if (pushed && plain && at + set_len <= size &&
			!memcmp(bytes + at, set + narrow, set_len))
			return FP_FRAME;
		if (range && !kept[at] && last <= at && wanted < next) {
			range->data_start = start + at;
			range->data_end = next < SIZE_MAX ? start + next : UINT64_MAX;
			return FP_DATA;
		}
		pushed |= bytes[at] == PUSH;
		len = code->arch->flow(bytes + at, size - at, start + at, &flow);
		if (!len && at + FLOW_CODE_MAX > size)
			break; /* the call that contains LOOKUP */
		if (!len)
			return FP_UNKNOWN;
		bool keeps = kept[at] && !flow.sets_fp;
		kept[at + len] |= keeps && !flow.ends;
		size_t target = flow.target - start;
		if (keeps && flow.kind == FLOW_JUMP && !flow.indirect && target > at) {
			if (target > size) {
				next = target < next ? target : next;
			} else {
				kept[target] = true;
				last = target > last ? target : last;
			}
		}
		/* A register pushed along with FP is where the walk expects the return address. */
		plain &= flow.kind != FLOW_JUMP &&
			 ((bytes[at] & 0xf8) != PUSHES || bytes[at] == PUSH);
	}
	return wanted > size ? FP_UNKNOWN : kept[at] ? FP_KEPT : FP_DATA;
}

/* Returns use_of_fp() for the function of LOCATION, up to LOOKUP. */
static enum fp_use use_in(const struct object_code *code, const struct location *location,
	uint64_t lookup, struct walk_range *range)
{
	uint64_t start;

	return function_start(location, &start) ? use_of_fp(code, start, lookup, range)
						: FP_UNKNOWN;
}

/* Returns true if the function of LOCATION begins by setting up its frame, before LOOKUP. */
static bool begins_with_frame(
	const struct object_code *code, const struct location *location, uint64_t lookup)
{
	enum { PROLOGUE = 64 };
	uint64_t start;

	return function_start(location, &start) &&
	       use_of_fp(code, start, lookup - start < PROLOGUE ? lookup : start + PROLOGUE,
		       NULL) == FP_FRAME;
}

/*
 * Judges addresses without a rule by the code alone. PLT stubs have no frame, and a function has
 * dropped its frame when it is at its return instruction.
 */
static enum unwind_fp_walk walk_by_code(const struct object_code *code, uint64_t lookup, bool exact,
	const struct location *location)
{
	enum { RET = 0xc3 };
	uint8_t byte;

	if (exact && location->source == SOURCE_PLT)
		return UNWIND_FP_LOST;
	if (!begins_with_frame(code, location, lookup))
		return UNWIND_FP_UNKNOWN;
	return exact && elf_image_bytes(code->image, lookup, &byte, 1) && byte == RET
		       ? UNWIND_FP_LOST
		       : UNWIND_FP_RIGHT;
}

/*
 * Returns true if Go code with a frame has not set FP to it yet, or has just loaded the caller's
 * again.
 */
static bool is_bare(const struct object_code *code, const struct location *location, uint64_t pc)
{
	struct walk_range ignored;
	uint8_t before[8];

	return use_in(code, location, pc, &ignored) == FP_KEPT ||
	       (code->arch->go_loads_fp &&
		       elf_image_bytes(code->image, pc - sizeof(before), before, sizeof(before)) &&
		       code->arch->go_loads_fp(before));
}

/* ---- unwind rules --------------------------------------------------------------------------- */

/*
 * Returns true if RULE saves FP like any other register, not for a frame: the CFA is relative to
 * SP. Sets POPPED if FP has been restored, that is if its save area is below SP.
 */
static bool saves_fp(const struct unwind_rule *rule, bool *popped)
{
	const struct unwind_machine *machine = unwind_machine(rule->machine);
	const struct unwind_place *fp = &rule->registers[machine->fp];

	*popped = (int64_t)rule->cfa.offset + fp->offset < 0;
	return fp->kind == UNWIND_MEMORY && fp->base == UNWIND_CFA &&
	       rule->cfa.kind == UNWIND_VALUE && rule->cfa.base == machine->sp;
}

bool health_keeps_fp(const struct object_code *code, uint64_t start, uint64_t pc)
{
	struct walk_range ignored;
	struct unwind_rule rule;
	bool popped;

	if (!debug_unwind_rule(code->debug, pc, UNWIND_SFRAME | UNWIND_EH_FRAME, &rule, NULL))
		return false;
	if (rule.registers[unwind_machine(rule.machine)->fp].kind == UNWIND_SAME)
		return true;
	return saves_fp(&rule, &popped) &&
	       (popped || code_walk(code, rule.end) == UNWIND_FP_RIGHT ||
		       use_of_fp(code, start, pc, &ignored) == FP_KEPT);
}

/*
 * Returns true if the function has a frame although RULE, of x86-64, does not say so. The CFI of
 * OCaml and of hand-written assembly gives the CFA, but no registers.
 */
static bool has_unsaid_frame(const struct object_code *code, const struct unwind_rule *rule,
	const struct location *location, uint64_t lookup)
{
	enum { RBP = 6, RSP = 7, WORD = 8 };

	return rule->registers[RBP].kind == UNWIND_SAME && rule->cfa.base == RSP &&
	       rule->cfa.offset >= 2 * WORD && begins_with_frame(code, location, lookup);
}

/* Returns what is known of the walk where LOCATION is, NULL if there is no rule. */
static struct walk_range *range_at(
	struct object_code *code, uint64_t lookup, const struct location *location)
{
	struct walk_range *known = walks_find(&code->walks, lookup);
	struct unwind_rule rule;
	bool popped;

	if (known || !debug_unwind_rule(code->debug, lookup, UNWIND_ANY, &rule, NULL))
		return known;
	enum unwind_fp_walk walk = unwind_fp_walk(&rule);
	bool lost = walk == UNWIND_FP_LOST;
	if (lost && has_unsaid_frame(code, &rule, location, lookup))
		walk = UNWIND_FP_RIGHT;
	return walks_add(&code->walks, (struct walk_range){rule.start, rule.end, walk,
					       lost && saves_fp(&rule, &popped) && !popped, 0, 0});
}

static enum unwind_fp_walk walk_at(
	struct object_code *code, uint64_t lookup, bool exact, struct location *location)
{
	struct walk_range *range = range_at(code, lookup, location);

	if (!range)
		return walk_by_code(code, lookup, exact, location);
	bool data = lookup >= range->data_start && lookup < range->data_end;
	location->misled =
		data || (range->saved && use_in(code, location, lookup, range) == FP_DATA);
	if (range->walk != UNWIND_FP_UNKNOWN)
		return range->walk;
	return exact && is_bare(code, location, lookup) ? UNWIND_FP_LOST : UNWIND_FP_RIGHT;
}

/* ---- the leaf ------------------------------------------------------------------------------- */

/*
 * Returns true if one of the first ROWS rows in [ADDRESS, END) is that of a function with a frame.
 * UNWIND_FP_UNKNOWN counts as a frame, because only the size of Go's frames is known.
 */
static bool finds_frame(
	const struct object_code *code, uint64_t address, uint64_t end, unsigned rows)
{
	struct unwind_rule rule;

	for (; rows && address < end; rows--, address = rule.end) {
		if (!debug_unwind_rule(code->debug, address, UNWIND_ANY, &rule, NULL))
			return false;
		if (unwind_fp_walk(&rule) != UNWIND_FP_LOST)
			return true;
	}
	return false;
}

/*
 * Returns true if the kernel, for a uprobe at ADDRESS, assumes the entry of a function and adds the
 * caller from the stack (arch/x86/events/core.c, is_uprobe_at_func_entry(), since Linux 6.11). It
 * does not do so for a timer sample at the same address, and LOCATION does not show which of the
 * two it was.
 */
static bool is_repaired_at(const struct elf_image *image, uint64_t address)
{
	enum { PUSH = 0x55, ENDBR64 = 0xfa1e0ff3 };
	uint8_t code[4];

	return image->ehdr.e_machine == EM_X86_64 &&
	       elf_image_bytes(image, address, code, sizeof(code)) &&
	       (code[0] == PUSH || arch_word(code) == ENDBR64);
}

static enum lost_caller lost_by_leaf(const struct object_code *code, struct location *location)
{
	/* rows of a function that are read to tell a prologue from a function without a frame */
	enum { ROWS_BEFORE = 16, ROWS_AHEAD = 3 };
	uint64_t start, end, pc = location->elf_address;

	if (location->source == SOURCE_PLT)
		return CALLER_PLT;
	if (!function_start(location, &start))
		return CALLER_LEAF;
	location->entered = start == pc && is_repaired_at(code->image, pc);
	if (location->entered)
		return CALLER_NONE;
	return debug_unwind_function(code->debug, pc, &start, &end) &&
			       (finds_frame(code, start, pc, ROWS_BEFORE) ||
				       finds_frame(code, pc, end, ROWS_AHEAD))
		       ? CALLER_PROLOGUE
		       : CALLER_LEAF;
}

void health_caller(struct object_code *code, uint64_t lookup, bool exact, struct location *location)
{
	const struct unwind_machine *machine = unwind_machine(code->arch->machine);
	bool judged = machine && machine->fp_walk;

	if (!code->looked_for_start)
		find_start(code);
	if (exact && location->end == END_SIGNAL) {
		location->lost_caller = judged ? CALLER_SIGNAL : CALLER_NONE;
		return;
	}
	if (location->end == END_NOT)
		location->end = end_of(code, location, lookup);
	/* a function that starts threads is also called, by the parent */
	if (!judged || (location->end != END_NOT && (!exact || location->end != END_FIRST)))
		return;
	enum unwind_fp_walk walk = walk_at(code, lookup, exact, location);
	location->unjudged = walk == UNWIND_FP_UNKNOWN;
	if (walk == UNWIND_FP_LOST)
		location->lost_caller = exact ? lost_by_leaf(code, location) : CALLER_FUNCTION;
}
