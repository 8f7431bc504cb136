// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/unwind/agree.h"

#include <elf.h>

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
