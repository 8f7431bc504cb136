// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/unwind/rule.h"

#include <elf.h>
#include <stddef.h>

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
	for (size_t i = 0; i < array_len(machines); i++)
		if (machines[i].machine == machine)
			return &machines[i];
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
	       rule->cfa.base == fp && (int64_t)rule->cfa.offset + place->offset == offset;
}

/*
 * Returns what the walk does if gcc realigned the stack: it pushes a copy of the return address,
 * and then FP (ix86_expand_prologue()). The CFA is in r10 at first, then saved below FP. At the end
 * FP is popped, which CFI does not record.
 */
static enum unwind_fp_walk realigned(
	const struct unwind_rule *rule, const struct unwind_machine *machine)
{
	if (rule->cfa.kind == UNWIND_MEMORY && rule->cfa.base == machine->fp)
		return UNWIND_FP_RIGHT;
	return rule->cfa.kind == UNWIND_VALUE && rule->cfa.base == machine->sp ? UNWIND_FP_LOST
									       : UNWIND_FP_UNKNOWN;
}

enum unwind_fp_walk unwind_fp_walk(const struct unwind_rule *rule)
{
	const struct unwind_machine *machine = unwind_machine(rule->machine);

	if (rule->ra.kind == UNWIND_UNDEFINED)
		return UNWIND_FP_OUTERMOST;
	if (!machine || !machine->fp_walk)
		return UNWIND_FP_UNKNOWN;
	const struct unwind_place *fp = &rule->registers[machine->fp];
	if (fp->kind == UNWIND_UNDEFINED)
		return UNWIND_FP_UNKNOWN;
	if (!is_at_fp(rule, fp, machine->fp, 0))
		return UNWIND_FP_LOST;
	if (is_at_fp(rule, &rule->ra, machine->fp, machine->word))
		return UNWIND_FP_RIGHT;
	return fp->base == machine->fp ? realigned(rule, machine) : UNWIND_FP_LOST;
}

/* ---- as text -------------------------------------------------------------------------------- */

static void add_base(uint8_t base, const struct unwind_machine *machine, struct text *text)
{
	if (base == UNWIND_CFA)
		text_add_string(text, "CFA");
	else if (base == machine->sp || base == machine->fp)
		text_add_string(text, base == machine->sp ? "sp" : "fp");
	else
		text_printf(text, "r%u", base);
}

static void add_place(const char *name, const struct unwind_place *place,
	const struct unwind_machine *machine, struct text *text)
{
	bool memory = place->kind == UNWIND_MEMORY || place->kind == UNWIND_MEMORY_EXPRESSION;

	text_printf(text, "%s%s=%s", text->len ? " " : "", name, memory ? "*(" : "");
	switch ((enum unwind_kind)place->kind) {
	case UNWIND_SAME:
		text_add_string(text, "same");
		break;
	case UNWIND_UNDEFINED:
		text_add_string(text, "undefined");
		break;
	case UNWIND_VALUE:
	case UNWIND_MEMORY:
		add_base(place->base, machine, text);
		if (place->offset)
			text_printf(text, "%+d", place->offset);
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
	struct text all = {};
	add_place("CFA", &rule->cfa, machine, &all);
	add_place("RA", &rule->ra, machine, &all);
	add_place("FP", &rule->registers[machine->fp], machine, &all);
	add_place("SP", &rule->registers[machine->sp], machine, &all);
	text_add(text, all.data, all.len);
	text_deinit(&all);
	text_add_string(text, rule->signal_frame ? ", signal frame" : "");
	text_add_string(text, rule->mangled_ra ? ", signed return address" : "");
}

const char *unwind_source_name(enum unwind_source source)
{
	return source == UNWIND_SFRAME	   ? "SFrame"
	       : source == UNWIND_EH_FRAME ? ".eh_frame"
					   : ".debug_frame";
}
