/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind rule at an ELF address: where the caller's registers are while the program counter is
 * there. SFrame and CFI (.eh_frame, .debug_frame) are converted to this one form.
 * debug_unwind_rule() in debug/debug.h finds the rule of an address. Registers have the machine's
 * DWARF numbers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"

/* The sources of rules; a set of them says which are wanted. */
enum unwind_source {
	UNWIND_SFRAME = 1,
	UNWIND_EH_FRAME = 2,
	/* of the file or of its separate debug file, which may be downloaded */
	UNWIND_DEBUG_FRAME = 4,
	UNWIND_CFI = UNWIND_EH_FRAME | UNWIND_DEBUG_FRAME,
	UNWIND_ANY = UNWIND_SFRAME | UNWIND_CFI,
};

/* How a value is found. BASE is a register of this frame, or UNWIND_CFA. */
enum unwind_kind {
	UNWIND_SAME,		  /* in its own register, which this function has not changed */
	UNWIND_UNDEFINED,	  /* lost; for the return address: this is the outermost frame */
	UNWIND_VALUE,		  /* base + offset */
	UNWIND_MEMORY,		  /* the word at base + offset */
	UNWIND_EXPRESSION,	  /* the result of the operations */
	UNWIND_MEMORY_EXPRESSION, /* the word at the result of the operations */
};

enum {
	UNWIND_REGISTERS = 33, /* numbers in a rule: AArch64 needs 0 to 31, x86-64 0 to 16 */
	UNWIND_PPC64_LR = 32,  /* the link register of ppc64, whose DWARF number, 65, is too high */
	UNWIND_CFA = 255,      /* as a base: the CFA */
};

struct unwind_place {
	uint8_t kind; /* enum unwind_kind */
	uint8_t base; /* of VALUE and MEMORY */
	uint32_t len; /* of EXPRESSION, in bytes */
	union {
		int64_t offset; /* of VALUE and MEMORY */
		/* of the expressions: its operations as in the file (DWARF 5, 2.5) */
		const uint8_t *expression;
	};
};

/* A rule may point into the tables of its file, and lives as long as these. */
struct unwind_rule {
	/* the ELF addresses [start, end) that the rule applies to, with the one asked for */
	uint64_t start, end;
	enum unwind_source source; /* a single one */
	uint16_t machine;	   /* e_machine */
	bool big;		   /* expressions have big-endian numbers */
	/*
	 * True for the code that a signal handler returns to: the caller's pc is where the signal
	 * interrupted it, not after a call. Comments on the "return address" apply to that pc, too.
	 */
	bool signal_frame;
	bool mangled_ra; /* AArch64: the return address is signed (PAC); strip the signature */
	bool stub;	 /* SFrame: a rule of a repeating block (PLT), which is sometimes wrong */
	struct unwind_place cfa; /* VALUE, MEMORY or EXPRESSION; never based on the CFA */
	/* the caller's pc; SAME: still in the register unwind_machine()->ra (AArch64, s390x) */
	struct unwind_place ra;
	/*
	 * The caller's registers, with SP and FP. SFrame describes only these two, so all others
	 * are UNDEFINED. Registers that CFI does not mention are SAME if calls preserve them, else
	 * UNDEFINED.
	 */
	struct unwind_place registers[UNWIND_REGISTERS];
};

/* The register numbers and conventions of a machine. */
struct unwind_machine {
	uint16_t machine; /* e_machine */
	uint8_t word;	  /* size of an address, in bytes */
	uint8_t sp, fp;
	uint8_t ra;	   /* register or column of the return address in CFI */
	uint64_t kept;	   /* bit I: calls preserve register I */
	bool fp_walk;	   /* FP points to the caller's FP, which the return address follows */
	uint8_t below_cfa; /* distance of the caller's SP below the CFA, in bytes */
};

/*
 * Returns the machine with this e_machine; NULL if it is not supported. Supported are x86-64, i386,
 * AArch64, ppc64 and s390x.
 */
const struct unwind_machine *unwind_machine(uint16_t machine);

/*
 * What a walk along frame pointers, such as the kernel's, does at a frame whose pc has this rule.
 */
enum unwind_fp_walk {
	UNWIND_FP_RIGHT,     /* it finds this function's caller */
	UNWIND_FP_LOST,	     /* it skips the caller: the function has no frame set up here */
	UNWIND_FP_OUTERMOST, /* there is no caller */
	UNWIND_FP_UNKNOWN,   /* the machine has no such walk, or the rule lacks FP */
};

enum unwind_fp_walk unwind_fp_walk(const struct unwind_rule *rule);

/* The registers and memory of a frame, for unwind_value(). */
struct unwind_frame {
	void *context;
	/*
	 * Read a register, or the word of SIZE bytes (1 to 8) at ADDRESS. Return false if it is not
	 * known. On x86-64 and i386 PLT stubs also need the register of the return address column:
	 * it is the pc, for which the ELF address will do.
	 */
	bool (*reg)(void *context, unsigned number, uint64_t *ret);
	bool (*memory)(void *context, uint64_t address, unsigned size, uint64_t *ret);
};

/*
 * Computes the value at PLACE of RULE. CFA: the frame's CFA, ignored if PLACE is the CFA's own.
 * REG: the register that PLACE belongs to, for UNWIND_SAME. Returns false if the value is
 * undefined, or needs a register or memory that is not known.
 */
bool unwind_value(const struct unwind_rule *rule, const struct unwind_place *place, unsigned reg,
	uint64_t cfa, const struct unwind_frame *frame, uint64_t *ret);

/* Returns false if PLACE of RULE is an expression that unwind_value() never evaluates. */
bool unwind_is_understood(const struct unwind_rule *rule, const struct unwind_place *place);
/*
 * Adds RULE as "CFA=sp+16 RA=*(CFA-8) FP=*(CFA-16) SP=CFA", with ", signal frame" and ", signed
 * return address" appended where they apply. Registers other than SP and FP are written as r and
 * their number.
 */
void unwind_rule_format(const struct unwind_rule *rule, struct text *text);
/* Returns "SFrame", ".eh_frame" or ".debug_frame". */
const char *unwind_source_name(enum unwind_source source);

/*
 * Returns true if A and B yield the same CFA, return address, FP and SP at the ELF address ADDRESS.
 * Ranges and sources may differ, and one may use an expression instead of an offset.
 */
bool unwind_rules_agree(const struct unwind_rule *a, const struct unwind_rule *b, uint64_t address);
