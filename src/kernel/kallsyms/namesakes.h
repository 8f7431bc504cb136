/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the kernel and its modules that have the same name. */
#ifndef KERNEL_KALLSYMS_NAMESAKES_H
#define KERNEL_KALLSYMS_NAMESAKES_H

#include "kernel/kallsyms/kallsyms.h"

/* A function whose name another has too. */
struct kallsyms_namesake {
	uint64_t hash; /* of the name */
	uint64_t start;
	uint32_t table;
};

/* Zero-filled is empty. */
struct kallsyms_namesakes {
	struct VEC(struct kallsyms_namesake) all; /* by hash, then start */
};

/* Finds them all; RET is from here on about KALLSYMS as it is now. */
void kallsyms_namesakes_read(const struct kallsyms *kallsyms, struct kallsyms_namesakes *ret);
void kallsyms_namesakes_deinit(struct kallsyms_namesakes *namesakes);
/*
 * What tells the function of ANSWER from its namesakes: "[module]" ("[kernel]" for the kernel's
 * own) if it is the module's only one, else its address "@0xffffffff81234560". False: it has none.
 */
bool kallsyms_namesakes_qualifier(const struct kallsyms_namesakes *namesakes,
	const struct kallsyms *kallsyms, const struct kallsyms_answer *answer, struct text *ret);

#endif
