/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of kallsyms by name. The first question makes an index of all names, which takes some
 * milliseconds and is kept with the symbols.
 */
#pragma once

#include "kernel/kallsyms/kallsyms.h"
#include "util/text.h"

/* The lowest address of a code symbol by name; the kernel's own before modules'. False: none. */
bool kallsyms_find_name(struct kallsyms *kallsyms, const char *name, uint64_t *ret);
/* Calls FOUND with each code symbol by name; MODULE is "" for the kernel itself. */
void kallsyms_each_named(struct kallsyms *kallsyms, const char *name,
	void (*found)(void *context, const char *module, uint64_t address), void *context);
/*
 * What tells the function of ANSWER from others of its name: "[module]" ("[kernel]" for the kernel's
 * own) if it is the module's only one, else its address "@0xffffffff81234560". False: it has none.
 */
bool kallsyms_qualifier(
	struct kallsyms *kallsyms, const struct kallsyms_answer *answer, struct text *ret);
