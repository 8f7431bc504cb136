/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds symbols of kallsyms by name. The first search builds an index of all names, which takes
 * some milliseconds and is kept with the symbols.
 */
#pragma once

#include "kernel/kallsyms/kallsyms.h"
#include "util/text.h"

/*
 * Finds the lowest address of a code symbol called NAME, preferring the kernel itself to modules.
 * Returns false if there is none.
 */
bool kallsyms_find_name(struct kallsyms *kallsyms, const char *name, uint64_t *ret);
/* Calls FOUND with each code symbol called NAME. MODULE is "" for the kernel itself. */
void kallsyms_each_named(struct kallsyms *kallsyms, const char *name,
	void (*found)(void *context, const char *module, uint64_t address), void *context);
/*
 * Sets RET to a text that distinguishes ANSWER's function from others of the same name: "[module]"
 * ("[kernel]" for the kernel itself) if it is the only one in its module, else
 * "@0xffffffff81234560", its address. Returns false if there is no other.
 */
bool kallsyms_qualifier(
	struct kallsyms *kallsyms, const struct kallsyms_answer *answer, struct text *ret);
