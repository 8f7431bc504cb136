// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwinding with invented rules: registers, the copy of the stack, where unwinding ends, which
 * rules are cached.
 */
#include <check.h>
#include <dwarf.h>
#include <elf.h>
#include <string.h>

#include "run.h"
#include "unwind/walk.h"

#define SP 0x7ffc00001000ULL
#define CODE 0x400000ULL /* functions of 256 bytes from here on, what they are says `functions` */

enum { WORDS = 512, FUNCTIONS = 8 };

static struct function {
	bool is_code, trampoline, by_fp, uncalled;
	enum unwind_epilogue epilogue;
	bool has_rule;
	struct unwind_rule rule;
} functions[FUNCTIONS];

static uint64_t stack[WORDS], values[SNAPSHOT_DEPTH_MAX];
static uint16_t machine;
static struct unwound_frame frames[SNAPSHOT_DEPTH_MAX];
static struct unwound unwound;
static struct stack_snapshot snapshot;

static const struct function *function_at(uint64_t pc)
{
	uint64_t i = (pc - CODE) / 256;

	return pc >= CODE && i < FUNCTIONS && functions[i].is_code ? &functions[i] : NULL;
}

static const struct unwind_code *find(void *context, uint64_t pc, bool exact)
{
	static struct unwind_code code;
	static struct compiled_rule rule;
	const struct function *function = function_at(pc - !exact);

	(void)context;
	code = (struct unwind_code){};
	if (!function)
		return &code;
	compiled_rule_init(&rule, &function->rule);
	code = (struct unwind_code){.code = true,
		.trampoline = function->trampoline,
		.by_fp = function->by_fp,
		.epilogue = exact ? function->epilogue : EPILOGUE_NO,
		.machine = machine,
		.rule = function->has_rule ? &rule : NULL,
		.reason = "made up"};
	return &code;
}

static bool is_called(void *context, uint64_t pc)
{
	const struct function *function = function_at(pc - 1);

	(void)context;
	return function && !function->uncalled;
}

static const struct unwind_lookup lookup = {NULL, find, is_called};

static uint64_t pc_in(unsigned function)
{
	return CODE + 256ULL * function + 16;
}

/* CFA is register BASE + OFFSET; the return address and perhaps FP (0: kept) are on the stack. */
static void set_rule(unsigned i, uint8_t base, int32_t offset, int32_t ra, int32_t fp)
{
	struct unwind_rule *rule = &functions[i].rule;
	bool arm = machine == EM_AARCH64;

	functions[i].is_code = functions[i].has_rule = true;
	*rule = (struct unwind_rule){.source = UNWIND_EH_FRAME,
		.machine = machine,
		.cfa = {.kind = UNWIND_VALUE, .base = base, .offset = offset},
		.ra = {.kind = UNWIND_MEMORY, .base = UNWIND_CFA, .offset = ra}};
	rule->registers[arm ? AARCH64_SP : AMD64_RSP] =
		(struct unwind_place){.kind = UNWIND_VALUE, .base = UNWIND_CFA};
	if (fp)
		rule->registers[arm ? AARCH64_FP : AMD64_RBP] = (struct unwind_place){
			.kind = UNWIND_MEMORY, .base = UNWIND_CFA, .offset = fp};
}

static void set(unsigned number, uint64_t value)
{
	snapshot.registers[number] = value;
	snapshot.known |= 1ULL << number;
}

static void setup(void)
{
	memset(functions, 0, sizeof(functions));
	memset(stack, 0, sizeof(stack));
	machine = EM_X86_64;
	snapshot = (struct stack_snapshot){
		.stack = (const uint8_t *)stack, .len = sizeof(stack), .machine = SNAPSHOT_AMD64};
	set(AMD64_RIP, pc_in(0));
	set(AMD64_RSP, SP);
	set(AMD64_RBP, 0x1234);
}

/* Function I is the last: its return address is not found. */
static void set_outermost(unsigned i)
{
	set_rule(i, AMD64_RSP, 8, -8, 0);
	functions[i].rule.ra.kind = UNWIND_UNDEFINED;
}

static void walk(const char *by, enum unwound_end end)
{
	size_t n = unwind_walk(&snapshot, &lookup, values, frames, &unwound);
	char got[SNAPSHOT_DEPTH_MAX + 1] = "";

	for (size_t i = 0; i < n; i++)
		got[i] = (char)(frames[i].by == UNWOUND_BY_NOTHING
					? '.'
					: *unwound_by_words[frames[i].by].key);
	ck_assert_str_eq(got, by);
	ck_assert_str_eq(unwound_end_words[unwound.end].key, unwound_end_words[end].key);
	ck_assert_uint_eq(unwound.copied, snapshot.len);
}

START_TEST(rules_of_each_source)
{
	set_rule(0, AMD64_RSP, 24, -8, -16);
	functions[0].rule.source = UNWIND_SFRAME;
	stack[1] = SP + 64;
	stack[2] = pc_in(1);
	set_rule(1, AMD64_RBP, 16, -8, -16);
	stack[8] = 0x77;
	stack[9] = pc_in(2);
	set_outermost(2);
	walk("se.", UNWOUND_OUTERMOST);
	ck_assert_uint_eq(values[0], pc_in(0));
	ck_assert_uint_eq(values[2], pc_in(2));
	ck_assert(frames[0].exact && !frames[1].exact && !frames[2].exact);
	stack[9] = 0;
	walk("s.", UNWOUND_NOT_CODE);
	ck_assert_str_eq(unwound.detail, "it is 0");
}
END_TEST

START_TEST(walks_that_end)
{
	set_rule(0, AMD64_RSP, 8 * WORDS, -8, 0);
	stack[WORDS - 1] = pc_in(1);
	set_rule(1, AMD64_RSP, 8, -8, 0);
	walk("e.", UNWOUND_COPY_ENDED);
	snapshot.len -= 8;
	walk(".", UNWOUND_COPY_ENDED);
	snapshot.len = 0;
	walk(".", UNWOUND_COPY_ENDED);
	snapshot.len = sizeof(stack);
	stack[WORDS - 1] = pc_in(7);
	walk(".", UNWOUND_NOT_CODE);
	set_rule(0, AMD64_RBP, 16, -8, -16);
	walk(".", UNWOUND_OFF_STACK);
	set(AMD64_RBP, SP + (1ULL << 40));
	walk(".", UNWOUND_OFF_STACK);
	snapshot.known &= ~(1ULL << AMD64_RBP);
	walk(".", UNWOUND_NO_VALUE);
	functions[0].has_rule = false;
	walk(".", UNWOUND_NO_RULE);
	ck_assert_str_eq(unwound.detail, "made up");
	machine = EM_AARCH64;
	walk(".", UNWOUND_MACHINE);
	functions[0].is_code = false;
	walk(".", UNWOUND_NOT_CODE);
}
END_TEST

/* A CFA that does not grow, and one that grows by a word for ever. */
START_TEST(walks_that_go_nowhere)
{
	set_rule(0, AMD64_RSP, 0, 0, 0);
	stack[0] = pc_in(0);
	walk("e.", UNWOUND_OFF_STACK);
	set_rule(0, AMD64_RSP, -8, 8, 0);
	walk(".", UNWOUND_OFF_STACK);
	set_rule(0, AMD64_RSP, 8, -8, 0);
	for (size_t i = 0; i < WORDS; i++)
		stack[i] = pc_in(0);
	ck_assert_uint_eq(unwind_walk(&snapshot, &lookup, values, frames, &unwound), WORDS + 1);
	ck_assert_int_eq(unwound.end, UNWOUND_COPY_ENDED);
	static uint64_t large[2 * SNAPSHOT_DEPTH_MAX];
	for (size_t i = 0; i < 2 * SNAPSHOT_DEPTH_MAX; i++)
		large[i] = pc_in(0);
	snapshot.stack = (const uint8_t *)large;
	snapshot.len = sizeof(large);
	ck_assert_uint_eq(
		unwind_walk(&snapshot, &lookup, values, frames, &unwound), SNAPSHOT_DEPTH_MAX);
	ck_assert_int_eq(unwound.end, UNWOUND_DEPTH);
}
END_TEST

/* .cfi_def_cfa_expression of a PLT: rsp + 8 + ((rip & 15) >= 11) * 8. */
START_TEST(plt_stub)
{
	static const uint8_t cfa[] = {DW_OP_bregx, AMD64_RSP, 8, DW_OP_breg0 + AMD64_RIP, 0,
		DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_const1u, 3, DW_OP_shl,
		DW_OP_plus};

	set_rule(0, 0, 0, -8, 0);
	functions[0].rule.cfa = (struct unwind_place){
		.kind = UNWIND_EXPRESSION, .len = sizeof(cfa), .expression = cfa};
	set_outermost(1);
	stack[0] = pc_in(1);
	walk("e.", UNWOUND_OUTERMOST);
	set(AMD64_RIP, pc_in(0) + 11);
	walk(".", UNWOUND_NOT_CODE); /* the word there is 0 */
	stack[1] = pc_in(1);
	walk("e.", UNWOUND_OUTERMOST);
}
END_TEST

/*
 * rbx is the CFA of the caller; the leaf saved it, and has taken it back where it is about to
 * return.
 */
START_TEST(registers_that_calls_keep)
{
	set_rule(0, AMD64_RSP, 16, -8, 0);
	functions[0].rule.registers[3] =
		(struct unwind_place){.kind = UNWIND_MEMORY, .base = UNWIND_CFA, .offset = -16};
	stack[0] = SP + 160;
	stack[1] = pc_in(1);
	set_rule(1, 3, 0, -8, 0);
	stack[19] = pc_in(2);
	set_outermost(2);
	walk("ee.", UNWOUND_OUTERMOST);
	set(AMD64_RSP, SP + 8);
	snapshot.stack += 8;
	snapshot.len -= 8;
	functions[0].rule.cfa.offset = 8;
	walk("e.", UNWOUND_NO_VALUE);
	functions[0].epilogue = EPILOGUE_POP;
	set(3, SP + 160);
	walk("ee.", UNWOUND_OUTERMOST);
	functions[0].rule.registers[3].kind = UNWIND_UNDEFINED;
	walk("e.", UNWOUND_NO_VALUE);
}
END_TEST

/* As CFI has it after leave: FP is saved where it points to, but already is the caller's. */
START_TEST(realigned)
{
	set_rule(0, AMD64_RSP, 8, -8, 0);
	functions[0].rule.registers[AMD64_RBP] =
		(struct unwind_place){.kind = UNWIND_MEMORY, .base = AMD64_RBP};
	set(AMD64_RBP, SP + 32);
	stack[0] = pc_in(1);
	stack[4] = 1;
	stack[5] = pc_in(2);
	set_rule(1, AMD64_RBP, 16, -8, 0);
	set_outermost(2);
	walk("ee.", UNWOUND_OUTERMOST);
	functions[0].rule.cfa = (struct unwind_place){.kind = UNWIND_VALUE, .base = 3};
	set(3, SP + 8);
	walk("e.", UNWOUND_OFF_STACK);
	functions[0].epilogue = EPILOGUE_END;
	walk("ee.", UNWOUND_OUTERMOST);
}
END_TEST

START_TEST(frame_pointers)
{
	functions[0].is_code = functions[1].is_code = true;
	functions[0].by_fp = functions[1].by_fp = true;
	set(AMD64_RBP, SP + 16);
	stack[2] = SP + 32;
	stack[3] = pc_in(1);
	stack[4] = 0;
	stack[5] = pc_in(2);
	set_outermost(2);
	walk("ff.", UNWOUND_OUTERMOST);
	functions[2].uncalled = true;
	walk("f.", UNWOUND_NOT_CODE);
	stack[2] = SP + 8; /* not further up */
	walk("f.", UNWOUND_OFF_STACK);
	stack[2] = SP + 33;
	walk("f.", UNWOUND_OFF_STACK);
	stack[2] = 0;
	walk("f.", UNWOUND_OUTERMOST);
}
END_TEST

static void set_signal(size_t from, const uint8_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		stack[from + i] = numbers[i];
}

START_TEST(signal_frame)
{
	static const uint8_t numbers[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16};

	set_rule(0, AMD64_RSP, 8, -8, 0);
	stack[0] = pc_in(1);
	functions[1].is_code = functions[1].trampoline = true;
	set_signal(6, numbers, sizeof(numbers));
	stack[6 + 15] = SP + 8 * 100;
	stack[6 + 16] = pc_in(2);
	set_rule(2, 12, 0, -8, 0); /* the CFA in r12 */
	walk("es.", UNWOUND_OFF_STACK);
	stack[6 + 4] = SP + 8 * 110;
	stack[109] = pc_in(3);
	set_outermost(3);
	walk("ese.", UNWOUND_OUTERMOST);
	ck_assert(frames[1].exact && frames[2].exact && !frames[3].exact);
	stack[6 + 15] = SP + (1ULL << 30);
	stack[6 + 4] = SP + (1ULL << 30);
	walk("es.", UNWOUND_OFF_STACK);
	ck_assert_ptr_nonnull(unwound.detail);
}
END_TEST

/*
 * A leaf that keeps its return address in lr, which is signed, as is the one that its caller has
 * pushed.
 */
START_TEST(aarch64)
{
	const uint64_t pac = 0x00550000ULL << 32;

	machine = EM_AARCH64;
	snapshot = (struct stack_snapshot){
		.stack = (const uint8_t *)stack, .len = sizeof(stack), .machine = SNAPSHOT_AARCH64};
	set(AARCH64_PC, pc_in(0));
	set(AARCH64_SP, SP);
	set(AARCH64_FP, SP + 32);
	set(AARCH64_LR, pc_in(1) | pac);
	set_rule(0, AARCH64_SP, 0, 0, 0);
	functions[0].rule.ra.kind = UNWIND_SAME;
	set_rule(1, AARCH64_SP, 48, -8, -16);
	stack[4] = SP + 64;
	stack[5] = pc_in(2) | pac;
	functions[2].is_code = functions[2].by_fp = true;
	stack[8] = 0;
	stack[9] = pc_in(3) | pac;
	functions[3].is_code = functions[3].trampoline = true;
	for (unsigned i = 0; i < SNAPSHOT_REGISTERS; i++)
		stack[10 + 39 + i] = 0;
	stack[10 + 39 + AARCH64_PC] = pc_in(0);
	stack[10 + 39 + AARCH64_LR] = pc_in(4) | pac;
	stack[10 + 39 + AARCH64_SP] = SP + 8 * 100;
	set_rule(4, AARCH64_SP, 16, -8, -16);
	walk("eefse.", UNWOUND_NOT_CODE);
	stack[101] = pc_in(5) | pac;
	functions[5].is_code = true;
	walk("eefsee.", UNWOUND_NO_RULE);
	ck_assert_uint_eq(values[1], pc_in(1));
	ck_assert_uint_eq(values[3], pc_in(3));
	/*
	 * A function that has called another keeps its return address elsewhere: lr is not used
	 * again.
	 */
	functions[1].rule.ra.kind = UNWIND_SAME;
	walk("e.", UNWOUND_NO_VALUE);
}
END_TEST

START_TEST(cached_rules)
{
	struct rule_cache cache = {};
	bool added;

	rule_cache_at(&cache, 3, 0x110, &added)->reason = "why";
	ck_assert(added);
	ck_assert_str_eq(rule_cache_at(&cache, 3, 0x110, &added)->reason, "why");
	ck_assert(!added);
	(void)rule_cache_at(&cache, 2, 0x110, &added);
	ck_assert(added);
	(void)rule_cache_at(&cache, 3, 0x111, &added);
	ck_assert(added);
	for (uint64_t i = 0; i < 1 << 16; i++)
		(void)rule_cache_at(&cache, 0, i, &added);
	ck_assert_uint_le(cache.by_address.len, 1 << 15);
	ck_assert_uint_gt(cache.clears, 0);
	rule_cache_clear(&cache);
	(void)rule_cache_at(&cache, 0, 0, &added);
	ck_assert(added);
	rule_cache_clear(&cache);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("unwind");

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_add_test(tests, rules_of_each_source);
	tcase_add_test(tests, walks_that_end);
	tcase_add_test(tests, walks_that_go_nowhere);
	tcase_add_test(tests, plt_stub);
	tcase_add_test(tests, registers_that_calls_keep);
	tcase_add_test(tests, realigned);
	tcase_add_test(tests, frame_pointers);
	tcase_add_test(tests, signal_frame);
	tcase_add_test(tests, aarch64);
	tcase_add_test(tests, cached_rules);
	return tests_run(tests);
}
