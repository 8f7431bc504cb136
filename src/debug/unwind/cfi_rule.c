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

enum cfi_cell_kind {
	CELL_SILENT, /* not mentioned by any instruction */
	CELL_SAME,
	CELL_UNDEFINED,
	CELL_VALUE,  /* base + offset */
	CELL_MEMORY, /* the word at base + offset */
	CELL_EXPRESSION,
	CELL_MEMORY_EXPRESSION,
};

/* Small, because all cells of a state are copied for each rule. */
struct cfi_cell {
	uint8_t kind, base;
	uint32_t len; /* length of EXPRESSION, in bytes */
	union {
		int64_t offset;
		const uint8_t *expression;
	};
};

struct state {
	struct cfi_cell cfa, registers[UNWIND_REGISTERS];
	bool mangled;
};

/* A run of the instructions up to the row of one address. */
struct cfi_run {
	const struct cfi *cfi;
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

static void set(struct cfi_run *run, uint64_t reg, struct cfi_cell cell)
{
	reg = number_of(run->machine, reg);
	if (reg < UNWIND_REGISTERS)
		run->now.registers[reg] = cell;
}

static struct cfi_cell from_cfa(
	enum cfi_cell_kind kind, const struct cfi_run *run, uint64_t factored)
{
	return (struct cfi_cell){.kind = kind,
		.base = UNWIND_CFA,
		.offset = (int64_t)(factored * (uint64_t)run->fde->cie.data_factor)};
}

static void restore(struct cfi_run *run, uint64_t reg)
{
	reg = number_of(run->machine, reg);
	if (reg < UNWIND_REGISTERS)
		run->now.registers[reg] = run->initial.registers[reg];
}

static void advance_to(struct cfi_run *run, struct cursor *program, uint64_t at)
{
	if (at < run->at)
		cursor_fail(program);
	else if (at > run->address) {
		run->passed = true;
		run->end = at < run->end ? at : run->end;
	} else {
		run->at = at;
	}
}

static void advance(struct cfi_run *run, struct cursor *program, uint64_t delta)
{
	advance_to(run, program, run->at + delta * run->fde->cie.code_factor);
}

static struct cfi_cell read_expression(enum cfi_cell_kind kind, struct cursor *program)
{
	uint64_t len = cursor_uleb(program); /* at most PROGRAM_MAX, or the program fails */
	const uint8_t *start = program->at;

	cursor_skip(program, len);
	return (struct cfi_cell){
		.kind = kind, .len = program->failed ? 0 : (uint32_t)len, .expression = start};
}

static void define_cfa(struct cfi_run *run, struct cursor *program, uint64_t reg, int64_t offset)
{
	if (reg >= UNWIND_REGISTERS)
		cursor_fail(program);
	run->now.cfa =
		(struct cfi_cell){.kind = CELL_VALUE, .base = (uint8_t)reg, .offset = offset};
}

/* Runs DW_CFA_def_cfa… instructions. Returns false if CODE is another. */
static bool run_cfa(struct cfi_run *run, struct cursor *program, uint8_t code)
{
	struct cfi_cell *cfa = &run->now.cfa;
	uint64_t reg = cfa->base;

	switch (code) {
	case DW_CFA_def_cfa_register:
		define_cfa(run, program, cursor_uleb(program),
			cfa->kind == CELL_VALUE ? cfa->offset : 0);
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
			from_cfa(CELL_VALUE, run, (uint64_t)cursor_sleb(program)).offset);
		return true;
	case DW_CFA_def_cfa_expression:
		*cfa = read_expression(CELL_EXPRESSION, program);
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
		set(run, reg, from_cfa(CELL_MEMORY, run, cursor_uleb(program)));
		return true;
	case DW_CFA_offset_extended_sf:
		set(run, reg, from_cfa(CELL_MEMORY, run, (uint64_t)cursor_sleb(program)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		set(run, reg, from_cfa(CELL_MEMORY, run, -cursor_uleb(program)));
		return true;
	case DW_CFA_val_offset:
		set(run, reg, from_cfa(CELL_VALUE, run, cursor_uleb(program)));
		return true;
	case DW_CFA_val_offset_sf:
		set(run, reg, from_cfa(CELL_VALUE, run, (uint64_t)cursor_sleb(program)));
		return true;
	case DW_CFA_restore_extended:
		restore(run, reg);
		return true;
	case DW_CFA_undefined:
		set(run, reg, (struct cfi_cell){.kind = CELL_UNDEFINED});
		return true;
	case DW_CFA_same_value:
		set(run, reg, (struct cfi_cell){.kind = CELL_SAME});
		return true;
	case DW_CFA_register:
		other = number_of(run->machine, cursor_uleb(program));
		set(run, reg,
			other < UNWIND_REGISTERS
				? (struct cfi_cell){.kind = CELL_VALUE, .base = (uint8_t)other}
				: (struct cfi_cell){.kind = CELL_UNDEFINED});
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		set(run, reg,
			read_expression(code == DW_CFA_expression ? CELL_MEMORY_EXPRESSION
								  : CELL_EXPRESSION,
				program));
		return true;
	default:
		*program = start;
		return false;
	}
}

static void remember(struct cfi_run *run, struct cursor *program)
{
	if (run->n_remembered == REMEMBERED_MAX)
		cursor_fail(program);
	else
		run->remembered[run->n_remembered++] = run->now;
}

static void recall(struct cfi_run *run, struct cursor *program)
{
	if (run->n_remembered)
		run->now = run->remembered[--run->n_remembered];
	else
		cursor_fail(program);
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
		return remember(run, program);
	case DW_CFA_restore_state:
		return recall(run, program);
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
		set(run, low, from_cfa(CELL_MEMORY, run, cursor_uleb(program)));
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

/* ---- expressions ---------------------------------------------------------------------------- */

static int64_t read_signed(struct cursor *cursor, unsigned size)
{
	uint64_t value = cursor_number(cursor, size);

	return size == 1   ? (int8_t)value
	       : size == 2 ? (int16_t)value
	       : size == 4 ? (int32_t)value
			   : (int64_t)value;
}

/* Reads the constant of operation CODE. WORD: size of an address. Returns false if it has none. */
static bool read_constant(struct cursor *cursor, uint8_t code, unsigned word, int64_t *ret)
{
	static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8};

	if (code >= DW_OP_const1u && code <= DW_OP_const8s) {
		unsigned size = sizes[code - DW_OP_const1u];

		*ret = (code - DW_OP_const1u) % 2 ? read_signed(cursor, size)
						  : (int64_t)cursor_number(cursor, size);
		return true;
	}
	if (code == DW_OP_addr)
		*ret = (int64_t)cursor_number(cursor, word);
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
static bool read_op(struct cursor *cursor, unsigned word, struct unwind_op *op)
{
	uint8_t code = cursor_u8(cursor);
	uint64_t reg;

	*op = (struct unwind_op){.code = code};
	if (read_constant(cursor, code, word, &op->number)) {
		op->code = DW_OP_consts;
	} else if ((code >= DW_OP_breg0 && code <= DW_OP_breg31) || code == DW_OP_bregx) {
		reg = code == DW_OP_bregx ? cursor_uleb(cursor) : code - (uint64_t)DW_OP_breg0;
		if (reg >= UNWIND_REGISTERS)
			return false;
		*op = (struct unwind_op){DW_OP_bregx, (uint8_t)reg, cursor_sleb(cursor)};
	} else if (code == DW_OP_deref || code == DW_OP_deref_size) {
		op->code = DW_OP_deref_size;
		op->number = code == DW_OP_deref ? word : cursor_u8(cursor);
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

/*
 * Reads the expression at CURSOR into the operations of RULE, of which N_OPS are in use. RET gets
 * its result as a place; if MEMORY, the word at that address. Expressions that only add to a
 * register become VALUE or MEMORY. Returns false if the expression is too long or has an
 * unsupported operation.
 */
static bool read_operations(struct cursor cursor, bool memory, struct unwind_rule *rule,
	unsigned *n_ops, struct unwind_place *ret)
{
	const unsigned word = unwind_machine(rule->machine)->word;
	unsigned n = *n_ops;

	while (cursor_left(&cursor)) {
		bool adds = *cursor.at == DW_OP_plus_uconst;

		if (n + adds >= UNWIND_OPS_MAX || !read_op(&cursor, word, &rule->ops[n]))
			return false;
		n++;
		if (adds)
			rule->ops[n++] = (struct unwind_op){.code = DW_OP_plus};
	}
	if (cursor.failed || n == *n_ops)
		return false;
	if (simplify(rule->ops + *n_ops, n - *n_ops, memory, word, ret))
		return true;
	*ret = (struct unwind_place){.kind = memory ? UNWIND_MEMORY_EXPRESSION : UNWIND_EXPRESSION,
		.first_op = (uint8_t)*n_ops,
		.n_ops = (uint8_t)(n - *n_ops)};
	*n_ops = n;
	return true;
}

/* ---- the rule ------------------------------------------------------------------------------- */

/* Returns what the ABI implies for a register that CFI does not mention. */
static enum cfi_cell_kind silence(const struct unwind_machine *machine, unsigned reg)
{
	bool link = machine->machine == EM_AARCH64 || machine->machine == EM_PPC64;

	return machine->kept >> reg & 1 || (reg == machine->ra && link) ? CELL_SAME
									: CELL_UNDEFINED;
}

static bool to_place(const struct cfi_run *run, const struct cfi_cell *cell,
	struct unwind_rule *rule, unsigned *n_ops, struct unwind_place *ret)
{
	static const uint8_t kinds[] = {[CELL_SAME] = UNWIND_SAME,
		[CELL_UNDEFINED] = UNWIND_UNDEFINED,
		[CELL_VALUE] = UNWIND_VALUE,
		[CELL_MEMORY] = UNWIND_MEMORY};

	if (cell->kind == CELL_EXPRESSION || cell->kind == CELL_MEMORY_EXPRESSION) {
		const struct cursor expression = {
			cell->expression, cell->expression + cell->len, false, run->cfi->bytes.big};

		return read_operations(
			expression, cell->kind == CELL_MEMORY_EXPRESSION, rule, n_ops, ret);
	}
	*ret = (struct unwind_place){
		.kind = kinds[cell->kind], .base = cell->base, .offset = (int32_t)cell->offset};
	return cell->offset == (int32_t)cell->offset;
}

static struct cfi_cell spoken(
	const struct cfi_run *run, const struct unwind_machine *machine, unsigned reg)
{
	struct cfi_cell cell = run->now.registers[reg];

	if (cell.kind != CELL_SILENT)
		return cell;
	if (reg == machine->sp)
		return (struct cfi_cell){
			.kind = CELL_VALUE, .base = UNWIND_CFA, .offset = -machine->below_cfa};
	return (struct cfi_cell){.kind = silence(machine, reg)};
}

static const char *fill_rule(
	const struct cfi_run *run, const struct unwind_machine *machine, struct unwind_rule *rule)
{
	static const char odd[] = "its CFI has an expression or offset that is not understood";
	uint64_t column = number_of(run->machine, run->fde->cie.return_register);
	unsigned n_ops = 0;

	if (run->now.cfa.kind == CELL_SILENT || column >= UNWIND_REGISTERS)
		return "its CFI is incomplete";
	if (!to_place(run, &run->now.cfa, rule, &n_ops, &rule->cfa))
		return odd;
	for (unsigned i = 0; i < UNWIND_REGISTERS; i++) {
		const struct cfi_cell cell = spoken(run, machine, i);

		if (!to_place(run, &cell, rule, &n_ops, &rule->registers[i]))
			return odd;
	}
	rule->ra = rule->registers[column];
	if (run->now.registers[column].kind == CELL_SILENT && rule->ra.kind == UNWIND_UNDEFINED)
		return "its CFI has no rule for the return address";
	if (rule->ra.kind == UNWIND_SAME && column != machine->ra)
		rule->ra = (struct unwind_place){.kind = UNWIND_VALUE, .base = (uint8_t)column};
	return NULL;
}

const char *cfi_rule(const struct cfi *cfi, const struct cfi_fde *fde, uint16_t machine,
	uint64_t address, struct unwind_rule *ret)
{
	const struct unwind_machine *known = unwind_machine(machine);
	struct state remembered[REMEMBERED_MAX];
	struct cfi_run run = {.cfi = cfi,
		.remembered = remembered,
		.fde = fde,
		.address = address,
		.at = fde->start,
		.end = fde->end,
		.machine = machine};

	if (!known)
		return "unwinding is not known for its machine";
	if (!run_program(&run, fde->cie.program) || run.passed)
		return "its CFI is broken or of an unknown kind";
	run.initial = run.now;
	if (!run_program(&run, fde->program))
		return "its CFI is broken or of an unknown kind";
	struct unwind_rule rule = {.start = run.at,
		.end = run.end,
		.source = cfi->eh_frame ? UNWIND_EH_FRAME : UNWIND_DEBUG_FRAME,
		.machine = machine,
		.signal_frame = fde->cie.signal_frame,
		.mangled_ra = run.now.mangled};
	const char *wrong = fill_rule(&run, known, &rule);
	if (!wrong)
		*ret = rule;
	return wrong;
}
