/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot: registers and a copy of the user stack, as a BPF program sent them, and what unwinding
 * makes of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum snapshot_machine {
	SNAPSHOT_AMD64,
	SNAPSHOT_AARCH64,
};

/* Numbers of registers in DWARF (the System V ABI of AMD64, aadwarf64 of Arm). */
enum {
	AMD64_RBP = 6,
	AMD64_RSP = 7,
	AMD64_RIP = 16, /* the return address' column */
	AARCH64_FP = 29,
	AARCH64_LR = 30,
	AARCH64_SP = 31,
	AARCH64_PC = 32,
	SNAPSHOT_REGISTERS = 33,
	SNAPSHOT_DEPTH_MAX = 1024, /* frames that are unwound */
};

struct stack_snapshot {
	enum snapshot_machine machine;
	uint64_t known; /* bits by number: the registers that the event has */
	uint64_t registers[SNAPSHOT_REGISTERS];
	const uint8_t *stack; /* LEN bytes of the process's memory from SP on */
	size_t len;
};

/* What may be asked: where rules are looked for. */
enum unwind_mode {
	UNWIND_AUTO, /* SFrame, else CFI, else frame pointers, per frame */
	UNWIND_BY_SFRAME,
	UNWIND_BY_CFI,
	UNWIND_BY_FP,
};

/* X(NAME, key): what found the caller of a frame. */
#define UNWOUND_BY(X)                                                                              \
	X(NOTHING, "") /* the last one */                                                          \
	X(SFRAME, "sframe")                                                                        \
	X(EH_FRAME, "eh_frame")                                                                    \
	X(DEBUG_FRAME, "debug_frame")                                                              \
	X(FP, "fp")                                                                                \
	X(SIGNAL, "signal-frame") /* the registers that the kernel saved */

enum unwound_by {
#define X(name, key) UNWOUND_BY_##name,
	UNWOUND_BY(X)
#undef X
};

/* "" for NOTHING. */
const char *unwound_by_key(enum unwound_by by);

/* X(NAME, key, text): why there is no further frame. */
#define UNWOUND_ENDS(X)                                                                            \
	X(OUTERMOST, "outermost", "outermost frame")                                               \
	X(COPY_ENDED, "copy-ended", "the copy of the stack ended")                                 \
	X(NO_RULE, "no-rule", "no unwind rule for the last frame")                                 \
	X(NO_VALUE, "no-value", "a register that the rule needs is not known")                     \
	X(OFF_STACK, "off-stack", "the next frame is not in the copy of the stack")                \
	X(NOT_CODE, "not-code", "what was found is no return address")                             \
	X(DEPTH, "depth", "as many frames as are unwound")                                         \
	X(MACHINE, "machine", "the registers are of another machine than the program")

enum unwound_end {
#define X(name, key, text) UNWOUND_##name,
	UNWOUND_ENDS(X)
#undef X
		UNWOUND_END_COUNT,
};

const char *unwound_end_key(enum unwound_end end);
const char *unwound_end_text(enum unwound_end end);

struct unwound_frame {
	uint8_t by; /* enum unwound_by: what found its caller */
	bool exact; /* its address is the pc, none behind a call */
};

/* How a snapshot became a stack of addresses. */
struct unwound {
	enum unwound_end end;
	const char *detail;		    /* more about END (a constant); NULL: nothing */
	size_t copied;			    /* bytes that the copy of the stack had */
	const struct unwound_frame *frames; /* as many as the stack has */
};
