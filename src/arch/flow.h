/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes the length of an instruction and its branch target, as needed to list the calls and jumps
 * of a function.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum flow_kind {
	FLOW_NEXT, /* falls through, or ends the program */
	FLOW_CALL,
	FLOW_JUMP, /* conditional or not */
};

struct flow {
	enum flow_kind kind;
	bool indirect;	 /* through a register or memory */
	uint64_t target; /* ELF address, unless INDIRECT */
	bool ends; /* never continues at the next instruction: a return, a trap, an unconditional jump */
	bool sets_fp; /* x86: an integer instruction that changes RBP */
};

/* longest instruction, in bytes */
enum { FLOW_CODE_MAX = 15 };

/*
 * Decodes the instruction at CODE, whose ELF address is ADDRESS, from LEN bytes (FLOW_CODE_MAX at
 * most are read). Returns its length in bytes; 0: unknown or incomplete.
 */
typedef size_t code_flow(const uint8_t *code, size_t len, uint64_t address, struct flow *ret);

code_flow flow_x86_64;
code_flow flow_i386;
code_flow flow_arm64;
