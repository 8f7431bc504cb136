/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caller that a walk along frame pointers skipped at a leaf that has no frame: whether it did,
 * and which one it is, where the code leaves but one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "health/code_functions.h"
#include "object/elf_image.h"

/* The ELF address that the call before RETURN_ADDRESS in IMAGE calls. False: it is not known. */
bool guess_called(struct code_functions *functions, struct debug *debug,
	const struct elf_image *image, uint64_t return_address, uint64_t *ret);
/*
 * Whether no call of ENTRY leads to LEAF, other than with a further frame. Both are ELF addresses
 * in IMAGE where functions begin; LEAF is UINT64_MAX if it is in another file. False where the code
 * does not say for sure.
 */
bool guess_cannot_reach(struct code_functions *functions, struct debug *debug,
	const struct elf_image *image, uint64_t entry, uint64_t leaf);

struct guessed_caller {
	uint64_t function; /* ELF address where it begins */
	/* The return address of its only call that may have led to the leaf; 0: it has several. */
	uint64_t site;
};

/*
 * The walk lost the caller at PC, an exact address in the leaf, and found RETURN_ADDRESS next, both
 * ELF addresses in IMAGE. That is the return address of a frame which the leaf's frame pointer
 * still belongs to. This is the frame of the function that the call before RETURN_ADDRESS calls, if
 *   - that call is direct, and what it calls, F, is a function with an end;
 *   - F does not jump elsewhere when its frame is gone again, but to what cannot have led to the leaf;
 *   - F calls the leaf, or something that jumps there, while it has its frame.
 * Whatever of this the code does not say for sure makes it false.
 */
bool guess_caller(struct code_functions *functions, struct debug *debug,
	const struct elf_image *image, uint64_t pc, uint64_t return_address,
	struct guessed_caller *ret);
