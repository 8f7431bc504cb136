// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/unwind/sframe_rule.h"

#include <elf.h>

/*
 * Converts FROM. FIXED: offset from the CFA, in bytes, to use if the row has no place; 0 for none:
 * the value is in its register. Returns false if a number is too large for a rule.
 */
static bool to_place(const struct sframe_place *from, int8_t fixed,
	const struct unwind_machine *machine, struct unwind_place *ret)
{
	if (from->kind != SFRAME_PLACE) {
		*ret = (struct unwind_place){.kind = fixed ? UNWIND_MEMORY : UNWIND_SAME,
			.base = UNWIND_CFA,
			.offset = fixed};
		return true;
	}
	uint8_t base = from->base == SFRAME_SP	  ? machine->sp
		       : from->base == SFRAME_FP  ? machine->fp
		       : from->base == SFRAME_CFA ? (uint8_t)UNWIND_CFA
						  : from->reg;
	*ret = (struct unwind_place){.kind = from->deref ? UNWIND_MEMORY : UNWIND_VALUE,
		.base = base,
		.offset = (int32_t)from->offset};
	return from->offset == (int32_t)from->offset &&
	       (base < UNWIND_REGISTERS || from->base == SFRAME_CFA);
}

static bool fill(const struct sframe *sframe, const struct sframe_row *row,
	const struct unwind_machine *machine, struct unwind_rule *rule)
{
	for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
		rule->registers[i] = (struct unwind_place){.kind = UNWIND_UNDEFINED};
	rule->ra = rule->cfa = rule->registers[machine->sp];
	if (row->outermost)
		return true;
	rule->registers[machine->sp] = (struct unwind_place){
		.kind = UNWIND_VALUE, .base = UNWIND_CFA, .offset = -machine->below_cfa};
	return to_place(&row->cfa, 0, machine, &rule->cfa) &&
	       to_place(&row->ra, sframe->fixed_ra, machine, &rule->ra) &&
	       to_place(&row->fp, sframe->fixed_fp, machine, &rule->registers[machine->fp]);
}

const char *sframe_rule(
	const struct sframe *sframe, uint16_t machine, uint64_t address, struct unwind_rule *ret)
{
	const struct unwind_machine *known = unwind_machine(machine);
	struct unwind_rule rule = {.source = UNWIND_SFRAME, .machine = machine};
	struct sframe_function function;
	struct sframe_row row;

	if (!sframe_find(sframe, address, &function))
		return "its SFrame section does not cover this code";
	if (function.unknown)
		return "its SFrame section has no usable entry for this address";
	if (!sframe_row_at(sframe, &function, address, &row, &rule.start, &rule.end))
		return "its SFrame rows for this code are broken";
	rule.signal_frame = function.signal_frame;
	rule.stub = function.block;
	rule.mangled_ra = row.mangled;
	if (!fill(sframe, &row, known, &rule))
		return "its SFrame rows have a register or offset that is not known";
	*ret = rule;
	return NULL;
}
