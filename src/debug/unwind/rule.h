/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind rule at an ELF address: where the caller's registers are while the program counter is
 * there. One form for what SFrame and CFI (.eh_frame, .debug_frame) say; debug_unwind_rule() in
 * debug/debug.h finds it. Registers are DWARF numbers of the machine.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"

/* Where rules come from; a set of them says which are wanted. */
enum unwind_source {
	UNWIND_SFRAME = 1,
	UNWIND_EH_FRAME = 2,
	UNWIND_DEBUG_FRAME =
		4, /* of the file or of its separate debug file, which may be fetched */
	UNWIND_CFI = UNWIND_EH_FRAME | UNWIND_DEBUG_FRAME,
	UNWIND_ANY = UNWIND_SFRAME | UNWIND_CFI,
};

/* How a value is found. BASE is a register of this frame, or UNWIND_CFA. */
enum unwind_kind {
	UNWIND_SAME,		  /* in its own register, which this function has not changed */
	UNWIND_UNDEFINED,	  /* nowhere; of the return address: this is the outermost frame */
	UNWIND_VALUE,		  /* base + offset */
	UNWIND_MEMORY,		  /* the word at base + offset */
	UNWIND_EXPRESSION,	  /* what the operations yield */
	UNWIND_MEMORY_EXPRESSION, /* the word at what they yield */
};

enum {
	UNWIND_REGISTERS = 33, /* numbers that a rule has: AArch64 counts to 31, x86-64 to 16 */
	UNWIND_PPC64_LR = 32,  /* the link register of ppc64, whose number, 65, is too high */
	UNWIND_CFA = 255,      /* as a base: the CFA */
	UNWIND_OPS_MAX = 16,   /* of all expressions of one rule; those of PLT stubs have 9 */
};

struct unwind_place {
	uint8_t kind;		 /* enum unwind_kind */
	uint8_t base;		 /* of VALUE and MEMORY */
	uint8_t first_op, n_ops; /* of the expressions: in the rule's ops */
	int32_t offset;
};

/*
 * An operation of a DWARF expression (DWARF 5, 2.5), in few forms: constants are DW_OP_consts, base
 * registers DW_OP_bregx, deref DW_OP_deref_size, and DW_OP_plus_uconst is a constant and
 * DW_OP_plus.
 */
struct unwind_op {
	uint8_t code; /* DW_OP_… */
	uint8_t reg;  /* of DW_OP_bregx */
	int64_t number;
};

struct unwind_rule {
	/* The ELF addresses [start, end) that this rule holds for, at least the one asked for. */
	uint64_t start, end;
	enum unwind_source source; /* one of them */
	uint16_t machine;	   /* e_machine */
	/*
	 * The code that a signal handler returns to: the caller's pc is where the signal came, not
	 * behind a call. All that "return address" says of other frames holds for that pc.
	 */
	bool signal_frame;
	bool mangled_ra; /* AArch64: the return address is signed (PAC) and must be stripped */
	bool stub; /* SFrame: of a block that repeats (PLT), whose rows are known to be wrong at times */
	struct unwind_place cfa; /* VALUE, MEMORY or EXPRESSION; never based on the CFA */
	/* The caller's pc. SAME: still in the register unwind_machine() says (AArch64, s390x). */
	struct unwind_place ra;
	/*
	 * The caller's registers, with SP and FP. SFrame knows these two only; the others are UNDEFINED
	 * there, and with CFI where a call may change them (it says SAME of what it is silent about).
	 */
	struct unwind_place registers[UNWIND_REGISTERS];
	struct unwind_op ops[UNWIND_OPS_MAX];
};

/* Which registers are which. */
struct unwind_machine {
	uint16_t machine; /* e_machine */
	uint8_t word;	  /* bytes of an address */
	uint8_t sp, fp;
	uint8_t ra;    /* the register or column that return addresses have in CFI */
	uint64_t kept; /* bits by number: registers that calls do not change */
	bool fp_walk; /* frame pointers form a chain: FP points to the caller's, the pc is behind that */
	uint8_t below_cfa; /* how far the caller's SP is below the CFA */
};

/* NULL: unwinding is not known there. MACHINE is e_machine: x86-64, i386, AArch64, ppc64, s390x. */
const struct unwind_machine *unwind_machine(uint16_t machine);

/*
 * What becomes of a walk along frame pointers, as the kernel's, at a frame whose pc has this rule.
 */
enum unwind_fp_walk {
	UNWIND_FP_RIGHT, /* it finds this function's caller */
	UNWIND_FP_LOST, /* it skips the caller: the function has not set up its frame here, or has none */
	UNWIND_FP_OUTERMOST, /* there is no caller */
	UNWIND_FP_UNKNOWN, /* no such walk on this machine, or not to be said: the rule does not know FP */
};

enum unwind_fp_walk unwind_fp_walk(const struct unwind_rule *rule);

/* The registers and memory of a frame, for unwind_value(). */
struct unwind_frame {
	void *context;
	/*
	 * False: the register, or the word of SIZE bytes (1 to 8) at ADDRESS, is not known. On x86-64
	 * and i386 the column of return addresses is asked for too (PLT stubs): it is the pc, for
	 * which the ELF address does as well.
	 */
	bool (*reg)(void *context, unsigned number, uint64_t *ret);
	bool (*memory)(void *context, uint64_t address, unsigned size, uint64_t *ret);
};

/*
 * The value at PLACE of RULE, whose CFA in this frame is CFA (for the CFA's own place it is not
 * looked at). REG: the register that PLACE is of, for UNWIND_SAME. False: undefined, or what it
 * needs is not known.
 */
bool unwind_value(const struct unwind_rule *rule, const struct unwind_place *place, unsigned reg,
	uint64_t cfa, const struct unwind_frame *frame, uint64_t *ret);

/*
 * Adds RULE as "CFA=sp+16 RA=*(CFA-8) FP=*(CFA-16) SP=CFA", with ", signal frame" and ", signed
 * return address" behind it. Registers other than SP and FP are r and their number.
 */
void unwind_rule_format(const struct unwind_rule *rule, struct text *text);
/* ".eh_frame" and so on. */
const char *unwind_source_name(enum unwind_source source);

/*
 * True if A and B find the same CFA, return address, FP and SP at the ELF address ADDRESS; ranges
 * and sources may differ, and an expression may be what an offset is elsewhere.
 */
bool unwind_rules_agree(const struct unwind_rule *a, const struct unwind_rule *b, uint64_t address);
