// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/unwind/rule.h"

#include <elf.h>
#include <stddef.h>

/* The registers that calls keep are those of each machine's ABI for the System V. */
static const struct unwind_machine machines[] = {
	{EM_X86_64, 8, 7, 6, 16, 1 << 3 | 1 << 6 | 0xf << 12, true},
	{EM_386, 4, 4, 5, 8, 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7, true},
	{EM_AARCH64, 8, 31, 29, 30, 0xfffULL << 19, true},
	{EM_S390, 8, 15, 11, 14, 0x3ff << 6, false},
};

const struct unwind_machine *unwind_machine(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i].machine == machine)
			return &machines[i];
	return NULL;
}

/* Is PLACE the word OFFSET bytes behind where FP points to, by the CFA of RULE? */
static bool is_at_fp(const struct unwind_rule *rule, const struct unwind_place *place, uint8_t fp,
	int64_t offset)
{
	if (place->kind != UNWIND_MEMORY)
		return false;
	if (place->base == fp)
		return place->offset == offset;
	return place->base == UNWIND_CFA && rule->cfa.kind == UNWIND_VALUE &&
	       rule->cfa.base == fp && (int64_t)rule->cfa.offset + place->offset == offset;
}

enum unwind_fp_walk unwind_fp_walk(const struct unwind_rule *rule)
{
	const struct unwind_machine *machine = unwind_machine(rule->machine);

	if (rule->ra.kind == UNWIND_UNDEFINED)
		return UNWIND_FP_OUTERMOST;
	if (!machine || !machine->fp_walk)
		return UNWIND_FP_UNKNOWN;
	const struct unwind_place *fp = &rule->registers[machine->fp];
	if (!is_at_fp(rule, fp, machine->fp, 0))
		return UNWIND_FP_LOST;
	if (is_at_fp(rule, &rule->ra, machine->fp, machine->word))
		return UNWIND_FP_RIGHT;
	/*
	 * A stack that is realigned: its CFA is saved below FP, or still in a register. gcc then pushes a
	 * copy of the return address before FP (ix86_expand_prologue()).
	 */
	return fp->base == machine->fp ? UNWIND_FP_RIGHT : UNWIND_FP_LOST;
}

/* ---- comparison ----------------------------------------------------------------------------- */

/* A frame of numbers that nothing else yields, but for the pc. */
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

/* Do both find one number? */
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
	/* Where nobody called, nothing else matters. */
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
