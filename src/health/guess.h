/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recovers the caller that a walk along frame pointers skipped at a leaf without a frame: whether
 * one was skipped and, if the code allows only one answer, which function it is.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "health/code.h"

/*
 * Sets RET to the ELF address of the function that the call before RETURN_ADDRESS calls.
 * RETURN_ADDRESS is an ELF address in CODE. Returns false if the callee is unknown, as for indirect
 * calls.
 */
bool guess_called(struct object_code *code, uint64_t return_address, uint64_t *ret);

enum reach {
	REACH_NO,
	REACH_JUMPS, /* it is the leaf, or reaches it by jumps only */
	REACH_MAYBE,
};

/*
 * Returns whether a call of the function at ENTRY can reach LEAF without a further frame, that
 * is only through functions that have no frame when they call or jump. Both are ELF addresses in
 * CODE where functions begin; LEAF is UINT64_MAX if it is in another file.
 */
enum reach guess_reach(struct object_code *code, uint64_t entry, uint64_t leaf);

struct guessed_caller {
	uint64_t function; /* ELF address of its start */
	/*
	 * Return address of its only call that may have led to the leaf, as an ELF address; 0 if
	 * several calls may have.
	 */
	uint64_t site;
};

/*
 * Finds the caller that the walk skipped. PC is the exact address in the leaf, and RETURN_ADDRESS
 * is what the walk found next; both are ELF addresses in CODE. RETURN_ADDRESS comes from the frame
 * that the leaf's frame pointer still points to. That frame belongs to the function F that the call
 * before RETURN_ADDRESS calls, if
 *   - that call is direct, and the bounds of F are known;
 *   - after F has dropped its frame, it jumps only to functions that cannot have led to the leaf;
 *   - F calls the leaf, or something that jumps there, while it has its frame.
 * Returns false if the code does not prove all of this.
 */
bool guess_caller(
	struct object_code *code, uint64_t pc, uint64_t return_address, struct guessed_caller *ret);
