// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/unwind/cfi.h"

#include <dwarf.h>
#include <elf.h>

/* Values on the stack of an expression. */
enum { STACK_MAX = UNWIND_OPS_MAX + 1 };

/* ---- reading -------------------------------------------------------------------------------- */

/* How numbers in an expression are encoded. */
struct expression_form {
	unsigned word; /* size of an address, in bytes */
	bool big_endian;
};

static int64_t read_signed(struct cursor *cursor, unsigned size, const struct expression_form *form)
{
	uint64_t value = cursor_ordered(cursor, size, form->big_endian);

	return size == 1   ? (int8_t)value
	       : size == 2 ? (int16_t)value
	       : size == 4 ? (int32_t)value
			   : (int64_t)value;
}

/* Reads the constant of operation CODE. Returns false if it has none. */
static bool read_constant(
	struct cursor *cursor, uint8_t code, const struct expression_form *form, int64_t *ret)
{
	static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8};

	if (code >= DW_OP_const1u && code <= DW_OP_const8s) {
		unsigned size = sizes[code - DW_OP_const1u];

		*ret = (code - DW_OP_const1u) % 2
			       ? read_signed(cursor, size, form)
			       : (int64_t)cursor_ordered(cursor, size, form->big_endian);
		return true;
	}
	if (code == DW_OP_addr)
		*ret = (int64_t)cursor_ordered(cursor, form->word, form->big_endian);
	else if (code == DW_OP_constu || code == DW_OP_plus_uconst)
		*ret = (int64_t)cursor_uleb(cursor);
	else if (code == DW_OP_consts)
		*ret = cursor_sleb(cursor);
	else if (code >= DW_OP_lit0 && code <= DW_OP_lit31)
		*ret = code - DW_OP_lit0;
	else
		return false;
	return true;
}

/*
 * Returns true for operations without operands that take values from the stack and that step()
 * supports: DW_OP_dup to DW_OP_ne, with exceptions.
 */
static bool is_plain(uint8_t code)
{
	switch (code) {
	case DW_OP_pick:
	case DW_OP_rot:
	case DW_OP_xderef:
	case DW_OP_abs:
	case DW_OP_div:
	case DW_OP_mod:
	case DW_OP_plus_uconst:
	case DW_OP_bra:
		return false;
	default:
		return code >= DW_OP_dup && code <= DW_OP_ne;
	}
}

/* Reads one operation. Returns false if it is not supported. */
static bool read_op(struct cursor *cursor, const struct expression_form *form, struct unwind_op *op)
{
	uint8_t code = cursor_u8(cursor);
	uint64_t reg;

	*op = (struct unwind_op){.code = code};
	if (read_constant(cursor, code, form, &op->number)) {
		op->code = DW_OP_consts;
	} else if ((code >= DW_OP_breg0 && code <= DW_OP_breg31) || code == DW_OP_bregx) {
		reg = code == DW_OP_bregx ? cursor_uleb(cursor) : code - (uint64_t)DW_OP_breg0;
		if (reg >= UNWIND_REGISTERS)
			return false;
		*op = (struct unwind_op){DW_OP_bregx, (uint8_t)reg, cursor_sleb(cursor)};
	} else if (code == DW_OP_deref || code == DW_OP_deref_size) {
		op->code = DW_OP_deref_size;
		op->number = code == DW_OP_deref ? form->word : cursor_u8(cursor);
		return op->number >= 1 && op->number <= 8;
	} else {
		return is_plain(code);
	}
	return true;
}

/* Converts the most common expressions, BREG and BREG DEREF, to a base and an offset. */
static bool simplify(const struct unwind_op *ops, size_t n, bool memory, unsigned word,
	struct unwind_place *place)
{
	bool deref = n == 2 && ops[1].code == DW_OP_deref_size && ops[1].number == word;

	if (ops[0].code != DW_OP_bregx || (n != 1 && !deref) || (deref && memory) ||
		ops[0].number != (int32_t)ops[0].number)
		return false;
	*place = (struct unwind_place){.kind = deref || memory ? UNWIND_MEMORY : UNWIND_VALUE,
		.base = ops[0].reg,
		.offset = (int32_t)ops[0].number};
	return true;
}

bool expression_read(struct cursor cursor, bool big_endian, bool memory, struct unwind_rule *rule,
	unsigned *n_ops, struct unwind_place *ret)
{
	const struct expression_form form = {unwind_machine(rule->machine)->word, big_endian};
	unsigned n = *n_ops;

	while (cursor_left(&cursor)) {
		bool adds = *cursor.at == DW_OP_plus_uconst;

		if (n + adds >= UNWIND_OPS_MAX || !read_op(&cursor, &form, &rule->ops[n]))
			return false;
		n++;
		if (adds)
			rule->ops[n++] = (struct unwind_op){.code = DW_OP_plus};
	}
	if (cursor.failed || n == *n_ops)
		return false;
	if (simplify(rule->ops + *n_ops, n - *n_ops, memory, form.word, ret))
		return true;
	*ret = (struct unwind_place){.kind = memory ? UNWIND_MEMORY_EXPRESSION : UNWIND_EXPRESSION,
		.first_op = (uint8_t)*n_ops,
		.n_ops = (uint8_t)(n - *n_ops)};
	*n_ops = n;
	return true;
}

/* ---- evaluating ----------------------------------------------------------------------------- */

struct expression_stack {
	uint64_t values[STACK_MAX];
	unsigned n;
};

/* Returns the result of an operation with two operands. */
static uint64_t calculate(uint8_t code, uint64_t a, uint64_t b)
{
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
		return (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_eq:
		return a == b;
	case DW_OP_ge:
		return (int64_t)a >= (int64_t)b;
	case DW_OP_gt:
		return (int64_t)a > (int64_t)b;
	case DW_OP_le:
		return (int64_t)a <= (int64_t)b;
	case DW_OP_lt:
		return (int64_t)a < (int64_t)b;
	default:
		return a != b;
	}
}

/* Returns how many values an operation needs on the stack. */
static unsigned needs(uint8_t code)
{
	switch (code) {
	case DW_OP_consts:
	case DW_OP_bregx:
		return 0;
	case DW_OP_deref_size:
	case DW_OP_dup:
	case DW_OP_drop:
	case DW_OP_neg:
	case DW_OP_not:
		return 1;
	default:
		return 2;
	}
}

/* Runs operations that only move values on the stack. Returns false if CODE is another. */
static bool move(struct expression_stack *stack, uint8_t code)
{
	uint64_t *top = &stack->values[stack->n];

	switch (code) {
	case DW_OP_dup:
	case DW_OP_over:
		*top = top[code == DW_OP_dup ? -1 : -2];
		stack->n++;
		return true;
	case DW_OP_drop:
		stack->n--;
		return true;
	case DW_OP_swap:
		*top = top[-1];
		top[-1] = top[-2];
		top[-2] = *top;
		return true;
	default:
		return false;
	}
}

/* Runs OP. Returns false if a value is missing. The stack must have room for one more value. */
static bool step(struct expression_stack *stack, const struct unwind_op *op,
	const struct unwind_frame *frame)
{
	uint64_t *top = &stack->values[stack->n];

	if (stack->n < needs(op->code))
		return false;
	if (move(stack, op->code))
		return true;
	switch (op->code) {
	case DW_OP_consts:
		*top = (uint64_t)op->number;
		stack->n++;
		return true;
	case DW_OP_bregx:
		stack->n++;
		if (!frame->reg(frame->context, op->reg, top))
			return false;
		*top += (uint64_t)op->number;
		return true;
	case DW_OP_deref_size:
		return frame->memory(frame->context, top[-1], (unsigned)op->number, &top[-1]);
	case DW_OP_neg:
		top[-1] = -top[-1];
		return true;
	case DW_OP_not:
		top[-1] = ~top[-1];
		return true;
	default:
		top[-2] = calculate(op->code, top[-2], top[-1]);
		stack->n--;
		return true;
	}
}

/*
 * Evaluates the expression of PLACE. Its stack begins with the CFA, except for the CFA's own
 * expression (DWARF 5, 6.4.2.2).
 */
static bool evaluate(const struct unwind_rule *rule, const struct unwind_place *place, uint64_t cfa,
	const struct unwind_frame *frame, uint64_t *ret)
{
	struct expression_stack stack = {.values = {cfa}, .n = place != &rule->cfa};

	for (unsigned i = 0; i < place->n_ops; i++)
		if (!step(&stack, &rule->ops[place->first_op + i], frame))
			return false;
	if (stack.n)
		*ret = stack.values[stack.n - 1];
	return stack.n;
}

/* Computes base + offset, or the result of the operations. */
static bool address_of(const struct unwind_rule *rule, const struct unwind_place *place,
	uint64_t cfa, const struct unwind_frame *frame, uint64_t *ret)
{
	uint64_t base = cfa;

	if (place->kind == UNWIND_EXPRESSION || place->kind == UNWIND_MEMORY_EXPRESSION)
		return evaluate(rule, place, cfa, frame, ret);
	if (place->base != UNWIND_CFA && !frame->reg(frame->context, place->base, &base))
		return false;
	*ret = base + (uint64_t)(int64_t)place->offset;
	return true;
}

bool unwind_value(const struct unwind_rule *rule, const struct unwind_place *place, unsigned reg,
	uint64_t cfa, const struct unwind_frame *frame, uint64_t *ret)
{
	const struct unwind_machine *machine = unwind_machine(rule->machine);
	uint64_t value;

	if (place->kind == UNWIND_UNDEFINED || !machine)
		return false;
	if (place->kind == UNWIND_SAME)
		return frame->reg(frame->context, reg, ret);
	if (!address_of(rule, place, cfa, frame, &value))
		return false;
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
