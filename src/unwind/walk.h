/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From registers and a copy of the stack to the addresses of a stack, frame by frame. What lies at
 * an address, and by which rule its caller is found, is asked for; all memory that is read is the
 * copy.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/stack.h"
#include "unwind/rule_cache.h"

/* What the instruction at a pc takes down of its function's frame. */
enum unwind_epilogue {
	EPILOGUE_NO,
	EPILOGUE_POP, /* a register that was saved below SP has its value back */
	EPILOGUE_END, /* and so has FP, which was saved where it points to */
};

/* What lies at a pc. */
struct unwind_code {
	bool code;	 /* false: surely none is there */
	bool by_fp;	 /* without a rule its frame pointer is followed */
	bool trampoline; /* a signal frame's return address: the exact start of a call of rt_sigreturn */
	enum unwind_epilogue epilogue;
	uint16_t machine; /* e_machine of the file; 0: of no file */
	const struct compiled_rule
		*rule;	    /* NULL: there is none; source 0: the code sets up a frame pointer */
	const char *reason; /* why (a constant); NULL: nothing to say */
};

struct unwind_lookup {
	void *context;
	/*
	 * PC is exact, or a return address, whose rule is that of the byte before. Good until the next
	 * call.
	 */
	const struct unwind_code *(*find)(void *context, uint64_t pc, bool exact);
	/* Whether a call ends before PC, or nobody knows. */
	bool (*is_called)(void *context, uint64_t pc);
};

/*
 * Unwinds SNAPSHOT. VALUES and FRAMES (as RET's) have room for SNAPSHOT_DEPTH_MAX. Returns how many
 * there are, at least the pc.
 */
size_t unwind_walk(const struct stack_snapshot *snapshot, const struct unwind_lookup *lookup,
	uint64_t *values, struct unwound_frame *frames, struct unwound *ret);
