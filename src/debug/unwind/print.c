// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/unwind/print.h"

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
