/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the kernel and its modules that have the same name. */
#pragma once

#include "kernel/kallsyms/kallsyms.h"
#include "util/text.h"

/* A function whose name another has too. */
struct kallsyms_same_name {
	uint64_t hash; /* of the name */
	uint64_t start;
	uint32_t table;
};

/* Zero-filled is empty. */
struct kallsyms_ambiguous {
	struct VEC(struct kallsyms_same_name) all; /* by hash, then start */
};

/* Finds them all; RET is from here on about KALLSYMS as it is now. */
void kallsyms_ambiguous_read(const struct kallsyms *kallsyms, struct kallsyms_ambiguous *ret);
void kallsyms_ambiguous_deinit(struct kallsyms_ambiguous *ambiguous);
/*
 * What tells the function of ANSWER from others of its name: "[module]" ("[kernel]" for the kernel's
 * own) if it is the module's only one, else its address "@0xffffffff81234560". False: it has none.
 */
bool kallsyms_ambiguous_qualifier(const struct kallsyms_ambiguous *ambiguous,
	const struct kallsyms *kallsyms, const struct kallsyms_answer *answer, struct text *ret);
