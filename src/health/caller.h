/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one frame of a user stack says of its caller: whether a walk along frame pointers (the
 * kernel's perf_callchain_user()) finds it, by the unwind rules of the frame's object, and whether
 * there is one. Only of machines where these rules are known; elsewhere nothing is said.
 */
#pragma once

#include <stdbool.h>

#include "debug/debug.h"
#include "debug/unwind/rule.h"
#include "health/walks.h"
#include "model/frame.h"
#include "object/elf_image.h"

/*
 * Fills in LOCATION's lost_caller, misled, entered and end. It has its names, and lies in IMAGE,
 * whose debug info DEBUG is, at LOOKUP: its exact address, or for a caller one byte before the
 * return address (EXACT false). The walk went on from here by the frame pointer. WALKS knows what
 * was found in IMAGE before.
 */
void health_caller(struct debug *debug, const struct elf_image *image, struct walks *walks,
	uint64_t lookup, bool exact, struct location *location);
/*
 * What becomes of a walk along frame pointers at the exact ELF address ADDRESS of what DEBUG is of;
 * UNKNOWN also where there is no rule.
 */
enum unwind_fp_walk health_walk(struct debug *debug, uint64_t address);
/*
 * Whether FP at PC, both ELF addresses of the function that begins at START and has no frame there,
 * is its caller's: never changed, about to be, or restored.
 */
bool health_keeps_fp(
	struct debug *debug, const struct elf_image *image, uint64_t start, uint64_t pc);
