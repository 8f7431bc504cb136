// SPDX-License-Identifier: GPL-2.0-or-later
#include "health/caller.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/flow.h"
#include "debug/unwind/agree.h"

/*
 * Functions that programs and threads begin in, sorted: of glibc, musl, Android, boost.context and Go, whose
 * runtime switches stacks. What called them, if anything, nobody misses.
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

/* Go's assembly functions are called "runtime.mcall.abi0" too, and glibc's have versions. */
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
	return bsearch(name, starts, sizeof(starts) / sizeof(*starts), sizeof(*starts),
		       compare_names) != NULL;
}

/* The ELF address where the function of LOCATION begins. */
static bool function_start(const struct location *location, uint64_t *ret)
{
	const struct frame *frame = &location->frames[location->n_frames - 1];

	if (!location->has_elf_address || (!frame->has_offset && !location->has_start))
		return false;
	*ret = frame->has_offset ? location->elf_address - frame->offset : location->start;
	return true;
}

static enum stack_end end_of(const struct elf_image *image, const struct location *location)
{
	const char *linkage = location->frames[location->n_frames - 1].linkage;
	uint64_t start;

	if (image->ehdr.e_entry && function_start(location, &start) &&
		start == arch_code_address(arch_of(image->ehdr.e_machine), image->ehdr.e_entry) &&
		elf_image_is_program(image))
		return END_ENTRY;
	if (!linkage || !is_start(linkage))
		return END_NOT;
	return strcmp(linkage, "main") != 0 ? END_FIRST : END_START;
}

/* ---- unwind rules --------------------------------------------------------------------------- */

/* As many rows of a function are looked at to tell a prologue from a function without a frame. */
enum { ROWS_MAX = 64, ROWS_AHEAD = 3 };

static bool rule_at(struct debug *debug, uint64_t address, struct unwind_rule *ret)
{
	return debug_unwind_rule(debug, address, UNWIND_ANY, ret, NULL);
}

/*
 * AArch64: the frame record is on the stack. The CFA still counts from SP, as compilers say it there, so
 * that it is not to be seen whether x29 points to the record already: it mostly does.
 */
static bool has_record(const struct unwind_rule *rule)
{
	const struct unwind_place *fp = &rule->registers[29];

	return rule->machine == EM_AARCH64 && rule->ra.kind == UNWIND_MEMORY &&
	       fp->kind == UNWIND_MEMORY && fp->base == rule->ra.base &&
	       fp->offset + 8 == rule->ra.offset;
}

/*
 * Go's linker says nothing of FP, which its functions set up with their frames. One that has none here leaves the
 * caller's.
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

/* Looks at the next row of SEARCH. Rows of a function differ from those beside them. */
static void look_on(struct debug *debug, struct frame_search *search, unsigned rows)
{
	struct unwind_rule rule;

	if (search->rows == rows || !rule_at(debug, search->next, &rule) ||
		(search->rows && unwind_rules_agree(&rule, &search->last, search->next) &&
			walk_by(&rule) == UNWIND_FP_LOST)) {
		search->over = true;
		return;
	}
	/* Of Go's frames only their size is known. */
	search->found = search->over = walk_by(&rule) != UNWIND_FP_LOST;
	search->rows++;
	search->last = rule;
	if (!search->found)
		search->next = rule.end;
}

/* Whether one of the rows that begin before END is of a function with a frame. */
static bool finds_frame(
	struct debug *debug, struct frame_search *search, uint64_t end, unsigned rows)
{
	while (!search->over && search->next < end)
		look_on(debug, search, rows);
	return search->found && search->next < end;
}

static void search_from(struct frame_search *search, uint64_t start)
{
	search->start = search->next = start;
	search->rows = 0;
	search->found = search->over = false;
}

/*
 * Where the kernel takes a uprobe for one at the entry of a function it adds the caller from the stack
 * (arch/x86/events/core.c, is_uprobe_at_func_entry(), since Linux 6.11). A sample by a clock has no such
 * help there; the location alone does not tell the two apart.
 */
static bool is_repaired_at(const struct elf_image *image, uint64_t address)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t code[sizeof(endbr64)];

	return image->ehdr.e_machine == EM_X86_64 &&
	       elf_image_bytes(image, address, code, sizeof(code)) &&
	       (code[0] == 0x55 || !memcmp(code, endbr64, sizeof(code)));
}

static enum lost_caller lost_by_leaf(struct debug *debug, const struct elf_image *image,
	struct walks *walks, struct location *location)
{
	uint64_t start, pc = location->elf_address;
	struct frame_search ahead;

	if (location->source == SOURCE_PLT)
		return CALLER_PLT;
	if (!function_start(location, &start))
		return CALLER_LEAF;
	location->entered = start == pc && is_repaired_at(image, pc);
	if (location->entered)
		return CALLER_NONE;
	if (walks->frame.start != start)
		search_from(&walks->frame, start);
	search_from(&ahead, pc);
	return finds_frame(debug, &walks->frame, pc, ROWS_MAX) ||
			       finds_frame(debug, &ahead, UINT64_MAX, ROWS_AHEAD)
		       ? CALLER_PROLOGUE
		       : CALLER_LEAF;
}

/*
 * Returns true if the function of LOCATION has pushed the frame pointer of x86 and set it to its frame by LOOKUP, before
 * any jump.
 */
static bool has_set_frame(
	const struct elf_image *image, const struct location *location, uint64_t lookup)
{
	enum { PROLOGUE_MAX = 64, PUSH = 0x55, PUSHES = 0x50, REX = 0x40 };
	static const uint8_t set[] = {0x48, 0x89, 0xe5};
	const size_t narrow = image->ehdr.e_machine != EM_X86_64, set_len = sizeof(set) - narrow;
	uint8_t code[PROLOGUE_MAX];
	bool pushed = false;
	struct flow flow;
	uint64_t start;

	if ((narrow && image->ehdr.e_machine != EM_386) || !function_start(location, &start) ||
		lookup <= start)
		return false;
	const size_t n = lookup - start < sizeof(code) ? (size_t)(lookup - start) : sizeof(code);
	if (!elf_image_bytes(image, start, code, n))
		return false;
	for (size_t at = 0, len; at + set_len <= n; at += len) {
		if (pushed && !memcmp(code + at, set + narrow, set_len))
			return true;
		pushed |= code[at] == PUSH;
		len = flow_x86_64(code + at, n - at, start + at, &flow);
		/* A register that is pushed beside FP lies where the walk looks for the return address. */
		bool other = (code[at] & 0xf8) == PUSHES && code[at] != PUSH;
		/* On i386 REX prefixes are other instructions. */
		if (!len || other || flow.kind == FLOW_JUMP || (narrow && (code[at] & 0xf0) == REX))
			return false;
	}
	return false;
}

/*
 * Whether it has its frame, with RULE there, which does not say so: CFI of OCaml and of assembly says where the CFA
 * is, and nothing of registers.
 */
static bool has_unsaid_frame(const struct elf_image *image, const struct unwind_rule *rule,
	const struct location *location, uint64_t lookup)
{
	enum { RBP = 6, RSP = 7, WORD = 8 };

	return rule->machine == EM_X86_64 && rule->registers[RBP].kind == UNWIND_SAME &&
	       rule->cfa.kind == UNWIND_VALUE && rule->cfa.base == RSP &&
	       rule->cfa.offset >= 2 * WORD && has_set_frame(image, location, lookup);
}

/* What the code alone says, where there is no rule: stubs of a PLT have no frame, nor is there one at a return. */
static enum unwind_fp_walk walk_by_code(
	const struct elf_image *image, uint64_t lookup, bool exact, const struct location *location)
{
	enum { RET = 0xc3 };
	uint8_t code;

	if (exact && location->source == SOURCE_PLT)
		return UNWIND_FP_LOST;
	if (!has_set_frame(image, location, lookup))
		return UNWIND_FP_UNKNOWN;
	return exact && elf_image_bytes(image, lookup, &code, 1) && code == RET ? UNWIND_FP_LOST
										: UNWIND_FP_RIGHT;
}

static enum unwind_fp_walk walk_at(struct debug *debug, const struct elf_image *image,
	struct walks *walks, uint64_t lookup, bool exact, const struct location *location)
{
	struct unwind_rule rule;
	bool lost;

	if (walks_find(walks, lookup, &lost))
		return lost ? UNWIND_FP_LOST : UNWIND_FP_RIGHT;
	if (image->ehdr.e_machine == EM_386 || !rule_at(debug, lookup, &rule))
		return walk_by_code(image, lookup, exact, location);
	lost = walk_by(&rule) == UNWIND_FP_LOST &&
	       !has_unsaid_frame(image, &rule, location, lookup);
	walks_add(walks, rule.start, rule.end, lost);
	return lost ? UNWIND_FP_LOST : UNWIND_FP_RIGHT;
}

void health_caller(struct debug *debug, const struct elf_image *image, struct walks *walks,
	uint64_t lookup, bool exact, struct location *location)
{
	uint16_t machine = image->ehdr.e_machine;
	bool judged = machine == EM_X86_64 || machine == EM_AARCH64 || machine == EM_386;

	if (exact && location->end == END_START) {
		location->lost_caller = judged ? CALLER_SIGNAL : CALLER_NONE;
		return;
	}
	if (location->end == END_NOT)
		location->end = end_of(image, location);
	if (!judged || location->end != END_NOT)
		return;
	enum unwind_fp_walk walk = walk_at(debug, image, walks, lookup, exact, location);
	location->unjudged = walk == UNWIND_FP_UNKNOWN;
	if (walk == UNWIND_FP_LOST)
		location->lost_caller =
			exact ? lost_by_leaf(debug, image, walks, location) : CALLER_FUNCTION;
}
