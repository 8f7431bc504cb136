/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges one frame of a user stack: whether it has a caller, and whether a walk along frame
 * pointers (the kernel's perf_callchain_user()) finds that caller. Uses the unwind rules and the
 * code of the frame's object. Lost callers are judged only on x86-64, i386 and AArch64.
 */
#pragma once

#include <stdbool.h>

#include "debug/debug.h"
#include "debug/unwind/rule.h"
#include "health/walks.h"
#include "model/frame.h"
#include "object/elf_image.h"

/*
 * Sets LOCATION's lost_caller, misled, unjudged, entered and end. LOCATION has its names already
 * and is in IMAGE, whose debug info is DEBUG. LOOKUP is the ELF address to look up: the exact
 * address (EXACT), or for a caller one byte before the return address. WALKS caches results for
 * IMAGE.
 */
void health_caller(struct debug *debug, const struct elf_image *image, struct walks *walks,
	uint64_t lookup, bool exact, struct location *location);
/*
 * Returns what a walk along frame pointers does at the exact ELF address ADDRESS of DEBUG's object.
 * Returns UNWIND_FP_UNKNOWN also if there is no unwind rule.
 */
enum unwind_fp_walk health_walk(struct debug *debug, uint64_t address);
/*
 * Returns true if FP still holds the caller's value at PC: never changed, about to be changed, or
 * restored. PC and START are ELF addresses. The function begins at START and has no frame at PC.
 * Returns false if this is unknown.
 */
bool health_keeps_fp(
	struct debug *debug, const struct elf_image *image, uint64_t start, uint64_t pc);
