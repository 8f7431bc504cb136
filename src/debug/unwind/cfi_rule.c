// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs CFI instructions (DWARF 5, section 6.4.2) and converts the result to an unwind rule. */
#include <dwarf.h>
#include <elf.h>

#include "debug/unwind/cfi.h"

enum {
	/* states kept for DW_CFA_remember_state; compilers need one or two */
	REMEMBERED_MAX = 8,
	/* bytes of instructions of one function; cc1 has up to 20000 */
	PROGRAM_MAX = 1 << 16,
};

/*
 * DW_CFA_AARCH64_negate_ra_state, in dwarf.h since elfutils 0.189. It has the number of SPARC's
 * DW_CFA_GNU_window_save.
 */
enum { CFA_AARCH64_NEGATE_RA_STATE = 0x2d };

enum { PPC64_LR = 65 }; /* 64-bit ELF ABI of OpenPOWER, 2.4 */

/* As kind of a place: no instruction mentions it. Other kinds are those of the rule. */
enum { SILENT = 255 };

struct state {
	/* the last entry is for registers that rules do not have */
	struct unwind_place cfa, registers[UNWIND_REGISTERS + 1];
	bool mangled;
};

/* A run of the instructions up to the row of one address. */
struct cfi_run {
	const struct cfi_fde *fde;
	uint64_t address, at, end; /* [at, end) is the current row */
	struct state now, initial;
	struct state *remembered; /* room for REMEMBERED_MAX, N_REMEMBERED are in use */
	unsigned n_remembered;
	uint16_t machine;
	bool passed; /* the next row begins after ADDRESS */
};

/* Returns the number of DWARF register REG in rules; UNWIND_REGISTERS if it has none. */
static uint64_t number_of(uint16_t machine, uint64_t reg)
{
	if (machine == EM_PPC64 && reg == PPC64_LR)
		return UNWIND_PPC64_LR;
	/* vector registers and the like have higher numbers; they are not unwound */
	return reg < (machine == EM_PPC64 ? UNWIND_PPC64_LR : UNWIND_REGISTERS) ? reg
										: UNWIND_REGISTERS;
}

static void set(struct cfi_run *run, uint64_t reg, struct unwind_place place)
{
	run->now.registers[number_of(run->machine, reg)] = place;
}

static struct unwind_place from_cfa(
	enum unwind_kind kind, const struct cfi_run *run, uint64_t factored)
{
	return (struct unwind_place){.kind = kind,
		.base = UNWIND_CFA,
		.offset = (int64_t)(factored * (uint64_t)run->fde->cie.data_factor)};
}

static void restore(struct cfi_run *run, uint64_t reg)
{
	reg = number_of(run->machine, reg);
	run->now.registers[reg] = run->initial.registers[reg];
}

static void advance(struct cfi_run *run, struct cursor *program, uint64_t delta)
{
	uint64_t at = run->at + delta * run->fde->cie.code_factor;

	if (at < run->at) {
		cursor_fail(program);
	} else if (at > run->address) {
		run->passed = true;
		run->end = at < run->end ? at : run->end;
	} else {
		run->at = at;
	}
}

/* Returns an expression, or its value, as place. The most common ones only add to a register. */
static struct unwind_place read_expression(bool memory, struct cursor *program)
{
	uint64_t len = cursor_uleb(program); /* at most PROGRAM_MAX, or the program fails */
	struct cursor body = *program;

	cursor_skip(program, len);
	body.end = program->at;
	const uint8_t *start = body.at;
	uint8_t code = cursor_u8(&body);
	bool bregx = code == DW_OP_bregx;
	uint64_t reg = bregx ? cursor_uleb(&body) : code - (uint64_t)DW_OP_breg0;
	int64_t offset = cursor_sleb(&body);
	bool deref = cursor_left(&body) == 1 && *body.at == DW_OP_deref;
	if ((bregx || code <= DW_OP_breg31) && reg < UNWIND_REGISTERS && !body.failed &&
		(!cursor_left(&body) || (deref && !memory)))
		return (struct unwind_place){.kind = deref || memory ? UNWIND_MEMORY : UNWIND_VALUE,
			.base = (uint8_t)reg,
			.offset = offset};
	return (struct unwind_place){.kind = memory ? UNWIND_MEMORY_EXPRESSION : UNWIND_EXPRESSION,
		.len = program->failed ? 0 : (uint32_t)len,
		.expression = start};
}

static void define_cfa(struct cfi_run *run, struct cursor *program, uint64_t reg, int64_t offset)
{
	if (reg >= UNWIND_REGISTERS)
		cursor_fail(program);
	run->now.cfa =
		(struct unwind_place){.kind = UNWIND_VALUE, .base = (uint8_t)reg, .offset = offset};
}

/* Runs DW_CFA_def_cfa… instructions. Returns false if CODE is another. */
static bool run_cfa(struct cfi_run *run, struct cursor *program, uint8_t code)
{
	struct unwind_place *cfa = &run->now.cfa;
	uint64_t reg = cfa->base;

	switch (code) {
	case DW_CFA_def_cfa_register:
		define_cfa(run, program, cursor_uleb(program),
			cfa->kind == UNWIND_VALUE ? cfa->offset : 0);
		return true;
	case DW_CFA_def_cfa:
		reg = cursor_uleb(program);
		/* fall through */
	case DW_CFA_def_cfa_offset:
		define_cfa(run, program, reg, (int64_t)cursor_uleb(program));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = cursor_uleb(program);
		/* fall through */
	case DW_CFA_def_cfa_offset_sf:
		define_cfa(run, program, reg,
			from_cfa(UNWIND_VALUE, run, (uint64_t)cursor_sleb(program)).offset);
		return true;
	case DW_CFA_def_cfa_expression:
		*cfa = read_expression(false, program);
		return true;
	default:
		return false;
	}
}

/* Runs the instructions that begin with a register. Returns false if CODE is another. */
static bool run_register(struct cfi_run *run, struct cursor *program, uint8_t code)
{
	struct cursor start = *program;
	uint64_t reg = cursor_uleb(program), other;

	switch (code) {
	case DW_CFA_offset_extended:
		set(run, reg, from_cfa(UNWIND_MEMORY, run, cursor_uleb(program)));
		return true;
	case DW_CFA_offset_extended_sf:
		set(run, reg, from_cfa(UNWIND_MEMORY, run, (uint64_t)cursor_sleb(program)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		set(run, reg, from_cfa(UNWIND_MEMORY, run, -cursor_uleb(program)));
		return true;
	case DW_CFA_val_offset:
		set(run, reg, from_cfa(UNWIND_VALUE, run, cursor_uleb(program)));
		return true;
	case DW_CFA_val_offset_sf:
		set(run, reg, from_cfa(UNWIND_VALUE, run, (uint64_t)cursor_sleb(program)));
		return true;
	case DW_CFA_restore_extended:
		restore(run, reg);
		return true;
	case DW_CFA_undefined:
		set(run, reg, (struct unwind_place){.kind = UNWIND_UNDEFINED});
		return true;
	case DW_CFA_same_value:
		set(run, reg, (struct unwind_place){.kind = UNWIND_SAME});
		return true;
	case DW_CFA_register:
		other = number_of(run->machine, cursor_uleb(program));
		set(run, reg,
			other < UNWIND_REGISTERS ? (struct unwind_place){.kind = UNWIND_VALUE,
							   .base = (uint8_t)other}
						 : (struct unwind_place){.kind = UNWIND_UNDEFINED});
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		set(run, reg, read_expression(code == DW_CFA_expression, program));
		return true;
	default:
		*program = start;
		return false;
	}
}

/* Runs the other instructions. Fails if CODE is unknown. */
static void run_other(struct cfi_run *run, struct cursor *program, uint8_t code)
{
	switch (code) {
	case DW_CFA_nop:
		return;
	case DW_CFA_advance_loc1:
		return advance(run, program, cursor_u8(program));
	case DW_CFA_advance_loc2:
		return advance(run, program, cursor_u16(program));
	case DW_CFA_advance_loc4:
		return advance(run, program, cursor_u32(program));
	case DW_CFA_remember_state:
		if (run->n_remembered == REMEMBERED_MAX)
			break;
		run->remembered[run->n_remembered++] = run->now;
		return;
	case DW_CFA_restore_state:
		if (!run->n_remembered)
			break;
		run->now = run->remembered[--run->n_remembered];
		return;
	case DW_CFA_GNU_args_size:
		(void)cursor_uleb(program);
		return;
	case CFA_AARCH64_NEGATE_RA_STATE:
		if (run->machine == EM_AARCH64) {
			run->now.mangled = !run->now.mangled;
			return;
		}
		break;
	default:
		break;
	}
	cursor_fail(program);
}

static void step(struct cfi_run *run, struct cursor *program)
{
	uint8_t code = cursor_u8(program), low = code & 0x3f;

	switch (code & 0xc0) {
	case DW_CFA_advance_loc:
		advance(run, program, low);
		return;
	case DW_CFA_offset:
		set(run, low, from_cfa(UNWIND_MEMORY, run, cursor_uleb(program)));
		return;
	case DW_CFA_restore:
		restore(run, low);
		return;
	default:
		break;
	}
	if (!run_cfa(run, program, code) && !run_register(run, program, code))
		run_other(run, program, code);
}

/* Returns false if an instruction is broken or unknown. */
static bool run_program(struct cfi_run *run, struct cursor program)
{
	if (cursor_left(&program) > PROGRAM_MAX)
		return false;
	while (cursor_left(&program) && !run->passed && !program.failed)
		step(run, &program);
	return !program.failed;
}

/* ---- the rule ------------------------------------------------------------------------------- */

static const char *fill_rule(
	const struct cfi_run *run, const struct unwind_machine *machine, struct unwind_rule *rule)
{
	uint64_t column = number_of(run->machine, run->fde->cie.return_register);
	bool link = machine->machine == EM_AARCH64 || machine->machine == EM_PPC64;
	bool good = true;

	if (run->now.cfa.kind == SILENT || column >= UNWIND_REGISTERS)
		return "its CFI is incomplete";
	rule->cfa = run->now.cfa;
	for (unsigned i = 0; i < UNWIND_REGISTERS; i++) {
		/* what the ABI implies for registers that CFI does not mention */
		bool kept = machine->kept >> i & 1 || (i == machine->ra && link);
		struct unwind_place silent = {.kind = kept ? UNWIND_SAME : UNWIND_UNDEFINED};

		if (i == machine->sp)
			silent = (struct unwind_place){.kind = UNWIND_VALUE,
				.base = UNWIND_CFA,
				.offset = -machine->below_cfa};
		rule->registers[i] = silent;
		if (run->now.registers[i].kind == SILENT)
			continue;
		rule->registers[i] = run->now.registers[i];
		good &= unwind_is_understood(rule, &rule->registers[i]);
	}
	if (!good || !unwind_is_understood(rule, &rule->cfa))
		return "its CFI has an expression that is not understood";
	rule->ra = rule->registers[column];
	if (run->now.registers[column].kind == SILENT && rule->ra.kind == UNWIND_UNDEFINED)
		return "its CFI has no rule for the return address";
	if (rule->ra.kind == UNWIND_SAME && column != machine->ra)
		rule->ra = (struct unwind_place){.kind = UNWIND_VALUE, .base = (uint8_t)column};
	return NULL;
}

const char *cfi_rule(
	const struct cfi_fde *fde, uint16_t machine, uint64_t address, struct unwind_rule *ret)
{
	const struct unwind_machine *known = unwind_machine(machine);
	struct state remembered[REMEMBERED_MAX];
	struct cfi_run run = {.remembered = remembered,
		.fde = fde,
		.address = address,
		.at = fde->start,
		.end = fde->end,
		.machine = machine};

	if (!known)
		return "unwinding is not known for its machine";
	run.now.cfa.kind = SILENT;
	for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
		run.now.registers[i].kind = SILENT;
	if (!run_program(&run, fde->cie.program) || run.passed)
		return "its CFI is broken or of an unknown kind";
	run.initial = run.now;
	if (!run_program(&run, fde->program))
		return "its CFI is broken or of an unknown kind";
	struct unwind_rule rule = {.start = run.at,
		.end = run.end,
		.source = fde->eh_frame ? UNWIND_EH_FRAME : UNWIND_DEBUG_FRAME,
		.machine = machine,
		.big = fde->big,
		.signal_frame = fde->cie.signal_frame,
		.mangled_ra = run.now.mangled};
	const char *wrong = fill_rule(&run, known, &rule);
	if (!wrong)
		*ret = rule;
	return wrong;
}
