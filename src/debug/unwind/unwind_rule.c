// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/unwind/unwind_rule.h"

#include <dwarf.h>
#include <elf.h>
#include <inttypes.h>
#include <stddef.h>

#include "debug/dwarf/cursor.h"
#include "util/vec.h"

/* Registers preserved by calls are from each machine's System V ABI. */
static const struct unwind_machine machines[] = {
	{EM_X86_64, 8, 7, 6, 16, 1 << 3 | 1 << 6 | 0xf << 12, true, 0},
	{EM_386, 4, 4, 5, 8, 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7, true, 0},
	{EM_AARCH64, 8, 31, 29, 30, 0xfffULL << 19, true, 0},
	{EM_PPC64, 8, 1, 31, UNWIND_PPC64_LR, 1 << 2 | 0x3ffffU << 14, false, 0},
	{EM_S390, 8, 15, 11, 14, 0x3ff << 6, false, 160},
};

const struct unwind_machine *unwind_machine(uint16_t machine)
{
	array_each(known, machines, array_len(machines))
		if (known->machine == machine)
			return known;
	return NULL;
}

/*
 * Returns true if PLACE, in terms of FP or of a CFA based on FP, is the word at FP + OFFSET bytes.
 */
static bool is_at_fp(const struct unwind_rule *rule, const struct unwind_place *place, uint8_t fp,
	int64_t offset)
{
	if (place->kind != UNWIND_MEMORY)
		return false;
	if (place->base == fp)
		return place->offset == offset;
	return place->base == UNWIND_CFA && rule->cfa.kind == UNWIND_VALUE &&
	       rule->cfa.base == fp && rule->cfa.offset + place->offset == offset;
}

enum unwind_fp_walk unwind_fp_walk(const struct unwind_rule *rule)
{
	const struct unwind_machine *machine = unwind_machine(rule->machine);

	if (rule->ra.kind == UNWIND_UNDEFINED)
		return UNWIND_FP_OUTERMOST;
	if (!machine || !machine->fp_walk)
		return UNWIND_FP_UNKNOWN;
	const struct unwind_place *fp = &rule->registers[machine->fp], *cfa = &rule->cfa;
	bool cfa_at_sp = cfa->kind == UNWIND_VALUE && cfa->base == machine->sp;
	/*
	 * Go's linker emits no rule for FP, which functions set up together with their frames, and
	 * leave to their caller if they have none.
	 */
	if (fp->kind == UNWIND_UNDEFINED)
		return cfa_at_sp && cfa->offset == (rule->machine == EM_X86_64 ? machine->word : 0)
			       ? UNWIND_FP_LOST
			       : UNWIND_FP_UNKNOWN;
	/*
	 * AArch64, with the frame record on the stack. Compilers keep the CFA relative to SP there,
	 * so the rule does not say whether x29 points to the record already. It mostly does.
	 */
	if (rule->machine == EM_AARCH64 && rule->ra.kind == UNWIND_MEMORY &&
		fp->kind == UNWIND_MEMORY && fp->base == rule->ra.base &&
		fp->offset + 8 == rule->ra.offset)
		return UNWIND_FP_RIGHT;
	if (!is_at_fp(rule, fp, machine->fp, 0))
		return UNWIND_FP_LOST;
	if (is_at_fp(rule, &rule->ra, machine->fp, machine->word))
		return UNWIND_FP_RIGHT;
	/*
	 * If gcc realigned the stack, it pushes a copy of the return address, and then FP
	 * (ix86_expand_prologue()). The CFA is in r10 at first, then saved below FP. At the end FP
	 * is popped, which CFI does not record.
	 */
	if (fp->base != machine->fp || cfa_at_sp)
		return UNWIND_FP_LOST;
	return cfa->kind == UNWIND_MEMORY && cfa->base == machine->fp ? UNWIND_FP_RIGHT
								      : UNWIND_FP_UNKNOWN;
}

/* ---- evaluating ----------------------------------------------------------------------------- */

/*
 * Limits on the values on the stack of an expression and on its length, in bytes. PLT stubs have
 * three values and 11 bytes.
 */
enum { STACK_MAX = 16, EXPRESSION_MAX = 128 };

/* A run of an expression. */
struct evaluation {
	const struct unwind_frame *frame;
	struct cursor operations;
	unsigned word; /* size of an address, in bytes */
	unsigned n;
	uint64_t values[STACK_MAX]; /* N are in use */
};

/* Reads the value that operation CODE pushes. Returns false if it pushes none, or it is unknown. */
static bool read_pushed(struct evaluation *run, uint8_t code, uint64_t *ret)
{
	static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8};
	struct cursor *cursor = &run->operations;
	unsigned number = code - DW_OP_const1u;

	if (code >= DW_OP_const1u && code <= DW_OP_const8s) {
		uint64_t sign = number % 2 ? 1ULL << (8 * sizes[number] - 1) : 0;

		*ret = (cursor_number(cursor, sizes[number]) ^ sign) - sign;
	} else if (code == DW_OP_addr)
		*ret = cursor_number(cursor, run->word);
	else if (code == DW_OP_constu)
		*ret = cursor_uleb(cursor);
	else if (code == DW_OP_consts)
		*ret = (uint64_t)cursor_sleb(cursor);
	else if (code >= DW_OP_lit0 && code <= DW_OP_lit31)
		*ret = code - (uint64_t)DW_OP_lit0;
	else if ((code >= DW_OP_breg0 && code <= DW_OP_breg31) || code == DW_OP_bregx) {
		uint64_t reg =
			code == DW_OP_bregx ? cursor_uleb(cursor) : code - (uint64_t)DW_OP_breg0;

		if (reg >= UNWIND_REGISTERS ||
			!run->frame->reg(run->frame->context, (unsigned)reg, ret))
			return false;
		*ret += (uint64_t)cursor_sleb(cursor);
	} else {
		return false;
	}
	return true;
}

/* Runs an operation that replaces the value at the top. Returns false if it is another. */
static bool change(struct evaluation *run, uint8_t code, uint64_t *top)
{
	uint64_t size = run->word;

	switch (code) {
	case DW_OP_deref_size:
		size = cursor_u8(&run->operations);
		/* fall through */
	case DW_OP_deref:
		return size && size <= 8 &&
		       run->frame->memory(run->frame->context, *top, (unsigned)size, top);
	case DW_OP_plus_uconst:
		*top += cursor_uleb(&run->operations);
		return true;
	case DW_OP_neg:
		*top = -*top;
		return true;
	case DW_OP_not:
		*top = ~*top;
		return true;
	default:
		return false;
	}
}

/* Returns the result of an operation with two operands. Fails if CODE is another. */
static uint64_t calculate(struct evaluation *run, uint8_t code, uint64_t a, uint64_t b)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (code) {
	case DW_OP_and:
		return a & b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_or:
		return a | b;
	case DW_OP_plus:
		return a + b;
	case DW_OP_shl:
		return b < 64 ? a << b : 0;
	case DW_OP_shr:
		return b < 64 ? a >> b : 0;
	case DW_OP_shra:
		return (uint64_t)(x >> (b < 64 ? b : 63));
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_eq:
		return a == b;
	case DW_OP_ge:
		return x >= y;
	case DW_OP_gt:
		return x > y;
	case DW_OP_le:
		return x <= y;
	case DW_OP_lt:
		return x < y;
	case DW_OP_ne:
		return a != b;
	default:
		cursor_fail(&run->operations);
		return 0;
	}
}

/* Runs an operation. Returns false if it is unknown, or a value is missing. */
static bool step(struct evaluation *run)
{
	uint8_t code = cursor_u8(&run->operations);
	uint64_t *top = &run->values[run->n];

	if (run->n == STACK_MAX)
		return false;
	if (read_pushed(run, code, top)) {
		run->n++;
		return true;
	}
	if (run->n && change(run, code, top - 1))
		return true;
	if (code == DW_OP_drop && run->n) {
		run->n--;
		return true;
	}
	if ((code == DW_OP_dup && run->n) || (code == DW_OP_over && run->n > 1)) {
		*top = top[code == DW_OP_dup ? -1 : -2];
		run->n++;
		return true;
	}
	if (run->n < 2)
		return false;
	if (code == DW_OP_swap) {
		*top = top[-1];
		top[-1] = top[-2];
		top[-2] = *top;
		return true;
	}
	run->n--;
	top[-2] = calculate(run, code, top[-2], top[-1]);
	return true;
}

/*
 * Evaluates the expression of PLACE. Its stack begins with the CFA, except for the CFA's own
 * expression (DWARF 5, 6.4.2.2).
 */
static bool evaluate(const struct unwind_rule *rule, const struct unwind_place *place, uint64_t cfa,
	const struct unwind_frame *frame, uint64_t *ret)
{
	struct evaluation run = {
		.frame = frame,
		.operations = {place->expression, place->expression + place->len, false, rule->big},
		.word = unwind_machine(rule->machine)->word,
		.n = place != &rule->cfa,
		.values = {cfa},
	};

	if (!place->len || place->len > EXPRESSION_MAX)
		return false;
	while (cursor_left(&run.operations))
		if (!step(&run) || run.operations.failed)
			return false;
	if (run.n)
		*ret = run.values[run.n - 1];
	return run.n;
}

bool unwind_value(const struct unwind_rule *rule, const struct unwind_place *place, unsigned reg,
	uint64_t cfa, const struct unwind_frame *frame, uint64_t *ret)
{
	const struct unwind_machine *machine = unwind_machine(rule->machine);
	uint64_t value = cfa;

	if (place->kind == UNWIND_UNDEFINED || !machine)
		return false;
	if (place->kind == UNWIND_SAME)
		return frame->reg(frame->context, reg, ret);
	if (place->kind == UNWIND_EXPRESSION || place->kind == UNWIND_MEMORY_EXPRESSION) {
		if (!evaluate(rule, place, cfa, frame, &value))
			return false;
	} else {
		if (place->base != UNWIND_CFA && !frame->reg(frame->context, place->base, &value))
			return false;
		value += (uint64_t)place->offset;
	}
	if (machine->word == 4)
		value = (uint32_t)value;
	if (place->kind == UNWIND_MEMORY || place->kind == UNWIND_MEMORY_EXPRESSION)
		return frame->memory(frame->context, value, machine->word, ret);
	*ret = value;
	return true;
}

/* ---- comparing rules ------------------------------------------------------------------------ */

/*
 * A frame whose registers and memory have pseudorandom values, except for the pc: two rules that
 * yield the same values there are equivalent.
 */
struct probe {
	uint64_t seed, pc;
	uint8_t pc_column;
};

static uint64_t mixed(uint64_t number)
{
	return (number + 1) * 0x9e3779b97f4a7c15;
}

static bool probe_register(void *context, unsigned number, uint64_t *ret)
{
	const struct probe *probe = context;

	*ret = number == probe->pc_column ? probe->pc : mixed(probe->seed + number);
	return true;
}

static bool probe_memory(void *context, uint64_t address, unsigned size, uint64_t *ret)
{
	const struct probe *probe = context;

	*ret = mixed(address ^ probe->seed << 32) >> (64 - 8 * size);
	return true;
}

bool unwind_is_understood(const struct unwind_rule *rule, const struct unwind_place *place)
{
	const struct unwind_frame frame = {&(struct probe){}, probe_register, probe_memory};
	bool expression =
		place->kind == UNWIND_EXPRESSION || place->kind == UNWIND_MEMORY_EXPRESSION;
	uint64_t value;

	return !expression || evaluate(rule, place, 0, &frame, &value);
}

/* Returns true if LEFT of A and RIGHT of B have the same value, or both none. */
static bool same_value(const struct unwind_rule *a, const struct unwind_place *left,
	const struct unwind_rule *b, const struct unwind_place *right, unsigned reg,
	const struct unwind_frame *frame)
{
	uint64_t cfa_a = 0, cfa_b = 0, x = 0, y = 0;
	bool known = unwind_value(a, &a->cfa, 0, 0, frame, &cfa_a) &&
		     unwind_value(b, &b->cfa, 0, 0, frame, &cfa_b);
	bool in_a = unwind_value(a, left, reg, cfa_a, frame, &x);
	bool in_b = unwind_value(b, right, reg, cfa_b, frame, &y);

	return known && in_a == in_b && (!in_a || x == y);
}

bool unwind_rules_agree(const struct unwind_rule *a, const struct unwind_rule *b, uint64_t address)
{
	const struct unwind_machine *machine = unwind_machine(a->machine);

	if (!machine || a->machine != b->machine)
		return false;
	/* in outermost frames nothing else matters */
	if (a->ra.kind == UNWIND_UNDEFINED || b->ra.kind == UNWIND_UNDEFINED)
		return a->ra.kind == b->ra.kind;
	struct probe probe = {mixed(address), address,
		machine->machine == EM_AARCH64 || machine->machine == EM_S390 ? UNWIND_REGISTERS
									      : machine->ra};
	const struct unwind_frame frame = {&probe, probe_register, probe_memory};
	unsigned fp = machine->fp, sp = machine->sp;
	return a->mangled_ra == b->mangled_ra && a->signal_frame == b->signal_frame &&
	       same_value(a, &a->cfa, b, &b->cfa, 0, &frame) &&
	       same_value(a, &a->ra, b, &b->ra, machine->ra, &frame) &&
	       same_value(a, &a->registers[fp], b, &b->registers[fp], fp, &frame) &&
	       same_value(a, &a->registers[sp], b, &b->registers[sp], sp, &frame);
}

/* ---- as text -------------------------------------------------------------------------------- */

static void add_place(const char *name, const struct unwind_place *place,
	const struct unwind_machine *machine, struct text *text)
{
	bool memory = place->kind == UNWIND_MEMORY || place->kind == UNWIND_MEMORY_EXPRESSION;

	text_printf(text, "%s=%s", name, memory ? "*(" : "");
	switch ((enum unwind_kind)place->kind) {
	case UNWIND_SAME:
		text_add_string(text, "same");
		break;
	case UNWIND_UNDEFINED:
		text_add_string(text, "undefined");
		break;
	case UNWIND_VALUE:
	case UNWIND_MEMORY:
		if (place->base == UNWIND_CFA)
			text_add_string(text, "CFA");
		else if (place->base == machine->sp || place->base == machine->fp)
			text_add_string(text, place->base == machine->sp ? "sp" : "fp");
		else
			text_printf(text, "r%u", place->base);
		if (place->offset)
			text_printf(text, "%+" PRId64, place->offset);
		break;
	case UNWIND_EXPRESSION:
	case UNWIND_MEMORY_EXPRESSION:
		text_add_string(text, "expression");
		break;
	}
	text_add_string(text, memory ? ")" : "");
}

void unwind_rule_format(const struct unwind_rule *rule, struct text *text)
{
	const struct unwind_machine *machine = unwind_machine(rule->machine);

	if (rule->ra.kind == UNWIND_UNDEFINED) {
		text_add_string(text, "RA=undefined");
		return;
	}
	add_place("CFA", &rule->cfa, machine, text);
	add_place(" RA", &rule->ra, machine, text);
	add_place(" FP", &rule->registers[machine->fp], machine, text);
	add_place(" SP", &rule->registers[machine->sp], machine, text);
	text_add_string(text, rule->signal_frame ? ", signal frame" : "");
	text_add_string(text, rule->mangled_ra ? ", signed return address" : "");
}

const char *unwind_source_name(enum unwind_source source)
{
	return source == UNWIND_SFRAME	   ? "SFrame"
	       : source == UNWIND_EH_FRAME ? ".eh_frame"
					   : ".debug_frame";
}
