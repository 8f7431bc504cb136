/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long an instruction is, and where it leads besides to the next one: what is needed to list
 * the calls and jumps of a function.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum flow_kind {
	FLOW_NEXT, /* to the next instruction, or nowhere */
	FLOW_CALL,
	FLOW_JUMP, /* perhaps on a condition */
};

struct flow {
	enum flow_kind kind;
	bool indirect;	 /* by a register or memory */
	uint64_t target; /* ELF address, unless INDIRECT */
	bool sets_fp;	 /* x86: it changes RBP, as far as integer instructions are known */
};

/* No instruction is longer. */
enum { FLOW_CODE_MAX = 15 };

/*
 * The instruction at CODE, of which there are LEN bytes (up to FLOW_CODE_MAX are looked at) and
 * whose ELF address is ADDRESS. Returns its bytes; 0: it is not known, or not all there.
 */
typedef size_t code_flow(const uint8_t *code, size_t len, uint64_t address, struct flow *ret);

code_flow flow_x86_64;
code_flow flow_i386;
code_flow flow_arm64;
