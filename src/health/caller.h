/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges one frame of a user stack: whether it has a caller, and whether a walk along frame
 * pointers (the kernel's perf_callchain_user()) finds that caller. Uses the unwind rules and the
 * code of the frame's object. Lost callers are judged only on x86-64, i386 and AArch64.
 */
#pragma once

#include <stdbool.h>

#include "health/code.h"
#include "model/frame.h"

/*
 * Sets LOCATION's lost_caller, misled, unjudged, entered and end. LOCATION has its names already
 * and is in CODE. LOOKUP is the ELF address to look up: the exact address (EXACT), or for a caller
 * one byte before the return address.
 */
void health_caller(
	struct object_code *code, uint64_t lookup, bool exact, struct location *location);
/*
 * Returns true if FP still holds the caller's value at PC: never changed, about to be changed, or
 * restored. PC and START are ELF addresses. The function begins at START and has no frame at PC.
 * Returns false if this is unknown.
 */
bool health_keeps_fp(struct object_code *code, uint64_t start, uint64_t pc);
