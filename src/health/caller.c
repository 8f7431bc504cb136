// SPDX-License-Identifier: GPL-2.0-or-later
#include "health/caller.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
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

static int compare_names(const void *name, const void *start)
{
	return strcmp(name, *(const char *const *)start);
}

/*
 * Returns true if LINKAGE is in `starts`, ignoring symbol versions of glibc and the suffix of Go's
 * assembly functions ("runtime.mcall.abi0").
 */
static bool is_start(const char *linkage)
{
	char name[32];
	size_t len = strcspn(linkage, "@");

	if (len > 5 && !memcmp(linkage + len - 5, ".abi0", 5))
		len -= 5;
	if (len >= sizeof(name))
		return false;
	memcpy(name, linkage, len);
	name[len] = 0;
	return bsearch(name, starts, array_len(starts), sizeof(*starts), compare_names) != NULL;
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

/* Sets the addresses of the entry point and of main() in WALKS if IMAGE is a program. */
static void find_start(struct debug *debug, const struct elf_image *image, struct walks *walks)
{
	const struct arch *arch = arch_of(image->ehdr.e_machine);
	uint64_t start, entry = arch_code_address(arch, image->ehdr.e_entry);
	uint8_t code[ENTRY_CODE_LEN];

	walks->looked_for_start = true;
	if (!entry || !elf_image_is_program(image))
		return;
	walks->entry = entry;
	if (arch->find_main && elf_image_bytes(image, entry, code, sizeof(code)))
		walks->main = walks->main_end = arch->find_main(code, entry);
	if (walks->main)
		debug_unwind_function(debug, walks->main, &start, &walks->main_end);
}

/*
 * Returns true if the code at the return address ADDRESS passes its result to exit(3).
 * __libc_start_call_main() does so with the result of main(), and has no symbol after stripping.
 */
static bool hands_to_exit(struct debug *debug, const struct elf_image *image, uint64_t address)
{
	enum { INSTRUCTIONS = 6 };
	const struct arch *arch = arch_of(image->ehdr.e_machine);
	uint8_t code[FLOW_CODE_MAX];
	uint64_t exit;
	struct flow flow;
	size_t len;

	for (int i = 0; arch->flow && i < INSTRUCTIONS; i++, address += len) {
		if (!elf_image_bytes(image, address, code, sizeof(code)))
			return false;
		len = arch->flow(code, sizeof(code), address, &flow);
		if (!len || flow.kind == FLOW_JUMP || flow.ends)
			return false;
		if (flow.kind == FLOW_CALL)
			return !flow.indirect && debug_only_symbol(debug, "exit", &exit) &&
			       flow.target == exit;
	}
	return false;
}

static enum stack_end end_of(struct debug *debug, const struct elf_image *image,
	const struct walks *walks, const struct location *location, uint64_t lookup)
{
	const char *linkage = location->frames[location->n_frames - 1].linkage;
	uint64_t start;

	if (walks->entry && function_start(location, &start) && start == walks->entry)
		return END_ENTRY;
	if (lookup >= walks->main && lookup < walks->main_end)
		return END_MAIN;
	if (!linkage && location->has_elf_address && lookup < location->elf_address)
		return hands_to_exit(debug, image, location->elf_address) ? END_FIRST : END_NOT;
	if (!linkage || !is_start(linkage))
		return END_NOT;
	return strcmp(linkage, "main") != 0 ? END_FIRST : END_MAIN;
}

/* ---- unwind rules --------------------------------------------------------------------------- */

/* rows of a function that are read to tell a prologue from a function without a frame */
enum { ROWS_BEFORE = 16, ROWS_AHEAD = 3 };

static bool rule_at(struct debug *debug, uint64_t address, struct unwind_rule *ret)
{
	return debug_unwind_rule(debug, address, UNWIND_ANY, ret, NULL);
}

/*
 * Returns true if RULE is AArch64's and the frame record is on the stack. Compilers keep the CFA
 * relative to SP there, so the rule does not say whether x29 points to the record already. It
 * mostly does.
 */
static bool has_record(const struct unwind_rule *rule)
{
	const struct unwind_place *fp = &rule->registers[29];

	return rule->machine == EM_AARCH64 && rule->ra.kind == UNWIND_MEMORY &&
	       fp->kind == UNWIND_MEMORY && fp->base == rule->ra.base &&
	       fp->offset + 8 == rule->ra.offset;
}

/*
 * Returns true if RULE belongs to a Go function that has no frame here, and so leaves the caller's
 * FP in place. Go's linker emits no rule for FP, which Go functions set up together with their
 * frames.
 */
static bool has_no_frame(const struct unwind_rule *rule)
{
	const struct unwind_machine *machine = unwind_machine(rule->machine);

	return machine && rule->ra.kind != UNWIND_UNDEFINED &&
	       rule->registers[machine->fp].kind == UNWIND_UNDEFINED &&
	       rule->cfa.kind == UNWIND_VALUE && rule->cfa.base == machine->sp &&
	       rule->cfa.offset == (rule->machine == EM_X86_64 ? machine->word : 0);
}

static enum unwind_fp_walk walk_by(const struct unwind_rule *rule)
{
	if (has_no_frame(rule))
		return UNWIND_FP_LOST;
	return has_record(rule) ? UNWIND_FP_RIGHT : unwind_fp_walk(rule);
}

enum unwind_fp_walk health_walk(struct debug *debug, uint64_t address)
{
	struct unwind_rule rule;

	return rule_at(debug, address, &rule) ? walk_by(&rule) : UNWIND_FP_UNKNOWN;
}

/*
 * Returns true if one of the first ROWS rows in [ADDRESS, END) is that of a function with a frame.
 * UNWIND_FP_UNKNOWN counts as a frame, because only the size of Go's frames is known.
 */
static bool finds_frame(struct debug *debug, uint64_t address, uint64_t end, unsigned rows)
{
	struct unwind_rule rule;

	for (; rows && address < end && rule_at(debug, address, &rule); rows--, address = rule.end)
		if (walk_by(&rule) != UNWIND_FP_LOST)
			return true;
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
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t code[sizeof(endbr64)];

	return image->ehdr.e_machine == EM_X86_64 &&
	       elf_image_bytes(image, address, code, sizeof(code)) &&
	       (code[0] == 0x55 || !memcmp(code, endbr64, sizeof(code)));
}

static enum lost_caller lost_by_leaf(
	struct debug *debug, const struct elf_image *image, struct location *location)
{
	uint64_t start, end, pc = location->elf_address;

	if (location->source == SOURCE_PLT)
		return CALLER_PLT;
	if (!function_start(location, &start))
		return CALLER_LEAF;
	location->entered = start == pc && is_repaired_at(image, pc);
	if (location->entered)
		return CALLER_NONE;
	if (!debug_unwind_function(debug, pc, &start, &end))
		return CALLER_LEAF;
	return finds_frame(debug, start, pc, ROWS_BEFORE) || finds_frame(debug, pc, end, ROWS_AHEAD)
		       ? CALLER_PROLOGUE
		       : CALLER_LEAF;
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
 * returned, only if there is no jump before FP is set.
 */
static enum fp_use use_of_fp(const struct elf_image *image, uint64_t start, uint64_t lookup)
{
	enum { CODE_MAX = 2048, PUSH = 0x55, PUSHES = 0x50 };
	static const uint8_t set[] = {0x48, 0x89, 0xe5};
	const struct arch *arch = arch_of(image->ehdr.e_machine);
	const size_t narrow = image->ehdr.e_machine == EM_386, set_len = sizeof(set) - narrow;
	const size_t size = lookup - start;
	bool pushed = false, plain = true, kept[CODE_MAX + 1] = {true};
	uint8_t code[CODE_MAX];
	size_t at = 0, len;
	struct flow flow;

	if ((image->ehdr.e_machine != EM_X86_64 && !narrow) || size > sizeof(code) ||
		!elf_image_bytes(image, start, code, size))
		return FP_UNKNOWN;
	for (; at < size; at += len) {
		if (pushed && plain && at + set_len <= size &&
			!memcmp(code + at, set + narrow, set_len))
			return FP_FRAME;
		pushed |= code[at] == PUSH;
		len = arch->flow(code + at, size - at, start + at, &flow);
		if (!len && at + FLOW_CODE_MAX > size)
			break; /* the call that contains LOOKUP */
		if (!len)
			return FP_UNKNOWN;
		bool keeps = kept[at] && !flow.sets_fp;
		kept[at + len] |= keeps && !flow.ends;
		if (flow.kind == FLOW_JUMP && !flow.indirect && flow.target - start <= size)
			kept[flow.target - start] |= keeps;
		/* A register pushed along with FP is where the walk expects the return address. */
		plain &=
			flow.kind != FLOW_JUMP && ((code[at] & 0xf8) != PUSHES || code[at] == PUSH);
	}
	return kept[at] ? FP_KEPT : FP_DATA;
}

/* Returns use_of_fp() for the function of LOCATION, up to LOOKUP. */
static enum fp_use use_in(
	const struct elf_image *image, const struct location *location, uint64_t lookup)
{
	uint64_t start;

	return function_start(location, &start) && start <= lookup ? use_of_fp(image, start, lookup)
								   : FP_UNKNOWN;
}

/*
 * Returns true if RULE saves FP like any other register, not for a frame: the CFA is relative to
 * SP. Sets POPPED if FP has been restored, that is if its save area is below SP.
 */
static bool saves_fp(const struct unwind_rule *rule, bool *popped)
{
	const struct unwind_machine *machine = unwind_machine(rule->machine);
	const struct unwind_place *fp = machine ? &rule->registers[machine->fp] : NULL;

	if (!fp || fp->kind != UNWIND_MEMORY || fp->base != UNWIND_CFA ||
		rule->cfa.kind != UNWIND_VALUE || rule->cfa.base != machine->sp)
		return false;
	*popped = (int64_t)rule->cfa.offset + fp->offset < 0;
	return true;
}

bool health_keeps_fp(
	struct debug *debug, const struct elf_image *image, uint64_t start, uint64_t pc)
{
	const struct unwind_machine *machine = unwind_machine(image->ehdr.e_machine);
	struct unwind_rule rule;
	bool popped;

	if (!machine || !debug_unwind_rule(debug, pc, UNWIND_SFRAME | UNWIND_EH_FRAME, &rule, NULL))
		return false;
	if (rule.registers[machine->fp].kind == UNWIND_SAME)
		return true;
	return saves_fp(&rule, &popped) &&
	       (popped || health_walk(debug, rule.end) == UNWIND_FP_RIGHT ||
		       use_of_fp(image, start, pc) == FP_KEPT);
}

/*
 * Returns true if the function may have a frame here although RULE does not say so. The CFI of
 * OCaml and of hand-written assembly gives the CFA, but no registers.
 */
static bool may_have_unsaid_frame(const struct unwind_rule *rule)
{
	enum { RBP = 6, RSP = 7, WORD = 8 };

	return rule->machine == EM_X86_64 && rule->registers[RBP].kind == UNWIND_SAME &&
	       rule->cfa.kind == UNWIND_VALUE && rule->cfa.base == RSP &&
	       rule->cfa.offset >= 2 * WORD;
}

/*
 * Judges addresses without a rule by the code alone. PLT stubs have no frame, and a function has
 * dropped its frame when it is at its return instruction.
 */
static enum unwind_fp_walk walk_by_code(
	const struct elf_image *image, uint64_t lookup, bool exact, const struct location *location)
{
	enum { RET = 0xc3 };
	uint8_t code;

	if (exact && location->source == SOURCE_PLT)
		return UNWIND_FP_LOST;
	if (use_in(image, location, lookup) != FP_FRAME)
		return UNWIND_FP_UNKNOWN;
	return exact && elf_image_bytes(image, lookup, &code, 1) && code == RET ? UNWIND_FP_LOST
										: UNWIND_FP_RIGHT;
}

/*
 * Returns true if Go code with a frame has not set FP to it yet, or has already loaded the caller's
 * again.
 */
static bool is_bare(const struct elf_image *image, const struct location *location, uint64_t pc)
{
	const struct arch *arch = arch_of(image->ehdr.e_machine);
	uint8_t code[8];

	return use_in(image, location, pc) == FP_KEPT ||
	       (arch->go_loads_fp &&
		       elf_image_bytes(image, pc - sizeof(code), code, sizeof(code)) &&
		       arch->go_loads_fp(code));
}

static enum unwind_fp_walk walk_at(struct debug *debug, const struct elf_image *image,
	struct walks *walks, uint64_t lookup, bool exact, struct location *location)
{
	const struct walk_range *known = walks_find(walks, lookup);
	struct unwind_rule rule;
	bool popped;

	if (!known) {
		if (!rule_at(debug, lookup, &rule))
			return walk_by_code(image, lookup, exact, location);
		enum unwind_fp_walk walk = walk_by(&rule);
		bool lost = walk == UNWIND_FP_LOST;
		const struct walk_range range = {rule.start, rule.end - rule.start,
			lost && !(may_have_unsaid_frame(&rule) &&
					use_in(image, location, lookup) == FP_FRAME),
			lost && saves_fp(&rule, &popped) && !popped, walk == UNWIND_FP_UNKNOWN};
		known = walks_add(walks, &range);
	}
	location->misled = known->saved && use_in(image, location, lookup) == FP_DATA;
	bool lost = known->lost || (known->bare && exact && is_bare(image, location, lookup));
	return lost ? UNWIND_FP_LOST : UNWIND_FP_RIGHT;
}

void health_caller(struct debug *debug, const struct elf_image *image, struct walks *walks,
	uint64_t lookup, bool exact, struct location *location)
{
	uint16_t machine = image->ehdr.e_machine;
	bool judged = machine == EM_X86_64 || machine == EM_AARCH64 || machine == EM_386;

	if (!walks->looked_for_start)
		find_start(debug, image, walks);
	if (exact && location->end == END_SIGNAL) {
		location->lost_caller = judged ? CALLER_SIGNAL : CALLER_NONE;
		return;
	}
	if (location->end == END_NOT)
		location->end = end_of(debug, image, walks, location, lookup);
	/* a function that starts threads is also called, by the parent */
	if (!judged || (location->end != END_NOT && (!exact || location->end != END_FIRST)))
		return;
	enum unwind_fp_walk walk = walk_at(debug, image, walks, lookup, exact, location);
	location->unjudged = walk == UNWIND_FP_UNKNOWN;
	if (walk == UNWIND_FP_LOST)
		location->lost_caller =
			exact ? lost_by_leaf(debug, image, location) : CALLER_FUNCTION;
}
