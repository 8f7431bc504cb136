/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds a stack, frame by frame, from registers and a copy of stack memory. Reads no memory but
 * that copy; a callback finds the code and the unwind rule at an address.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/unwind/unwind_rule.h"
#include "model/stack.h"
#include "util/arena.h"
#include "util/table.h"

/* Caches unwind rules by object and ELF address. */

/*
 * An unwind rule, and the registers that it restores. Most functions save few registers, so a walk
 * skips all others.
 */
struct compiled_rule {
	uint64_t lost; /* bit I: the caller's value of register I is lost */
	uint8_t n_changed, changed[UNWIND_REGISTERS]; /* registers that are neither SAME nor lost */
	struct unwind_rule rule;
};

void compiled_rule_init(struct compiled_rule *compiled, const struct unwind_rule *rule);

/* The rule at an address, or the reason why there is none. */
struct cached_rule {
	const char *reason; /* constant; NULL: no reason known */
	bool found;
	struct compiled_rule rule; /* if FOUND */
};

struct rule_cache {
	struct table by_address; /* object number and ELF address → struct cached_rule */
	struct arena memory;
	unsigned clears; /* calls of rule_cache_clear(); earlier results are invalid */
};

/*
 * Returns what is cached for ADDRESS of OBJECT. If that is new (ADDED_RET), the caller has to set
 * it. Drops all rules first if there are too many.
 */
struct cached_rule *rule_cache_at(
	struct rule_cache *cache, size_t object, uint64_t address, bool *added_ret);
/* Drops all rules. To be called also when objects get other numbers. */
void rule_cache_clear(struct rule_cache *cache);

/* How far the function has taken down its frame at an instruction of its epilogue. */
enum unwind_epilogue {
	EPILOGUE_NO,
	EPILOGUE_POP, /* registers saved below SP are restored */
	EPILOGUE_END, /* FP, saved where it points to, is restored too */
};

/* The code at a pc. */
struct unwind_code {
	bool code;	 /* false: certainly no code */
	bool by_fp;	 /* follow the frame pointer if there is no rule */
	bool trampoline; /* exact start of the rt_sigreturn call that a signal handler returns to */
	enum unwind_epilogue epilogue;
	uint16_t machine; /* e_machine of the file; 0: no file */
	/* NULL: there is none; its source is 0 if the code sets up a frame pointer */
	const struct compiled_rule *rule;
	const char *reason; /* why there is no rule (a constant); NULL: unknown */
};

struct unwind_lookup {
	void *context;
	/*
	 * Returns the code at PC, valid until the next call. EXACT: PC is not a return address. A
	 * return address has the rule of the byte before it.
	 */
	const struct unwind_code *(*find)(void *context, uint64_t pc, bool exact);
	/* Returns true if a call ends just before PC, or if that is unknown. */
	bool (*is_called)(void *context, uint64_t pc);
};

/*
 * Unwinds SNAPSHOT. VALUES and FRAMES (which becomes RET's) have room for SNAPSHOT_DEPTH_MAX
 * entries. Returns the number of frames, at least 1 for the pc.
 */
size_t unwind_walk(const struct stack_snapshot *snapshot, const struct unwind_lookup *lookup,
	uint64_t *values, struct unwound_frame *frames, struct unwound *ret);
