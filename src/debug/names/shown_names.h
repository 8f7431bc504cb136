/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is printed for a function where whole names are too long (--names): short or plain. Two
 * functions of one object with different whole names never get the same: where the object's symbols
 * have another that would, or where the function is not among them (it was inlined everywhere, so
 * others may be too), its arguments or a mark made of its whole name (short_name_add_mark()) stand
 * behind. Neither depends on what else is asked.
 */
#pragma once

#include "model/frame.h"
#include "object/elf_image.h"

struct shown_names;

/*
 * IMAGE and the FILE of its further symbols (NULL: none) must outlive the result. Nothing is read
 * yet.
 */
struct shown_names *shown_names_create(
	const struct elf_image *image, const struct elf_image *file, enum name_style style);
void shown_names_destroy(struct shown_names *names);
/*
 * The name for the function LINKAGE, as in the symbol table, which is DEMANGLED; lives as long as
 * NAMES. NULL: its whole name (demangled, if it is mangled).
 */
const char *shown_name(struct shown_names *names, const char *linkage, const char *demangled);
/*
 * The same for NAME, of an inlined function that debug info has no linkage name of. NULL: it is not
 * too long. Nothing says which others there are: what is left out stands behind as a mark.
 */
const char *shown_bare_name(struct shown_names *names, const char *name);
/* Whether NAME, of a function that debug info has no linkage name of, is shown for another one. */
bool shown_names_has_another(struct shown_names *names, const char *name);
/*
 * Whether WORD is how the function LINKAGE may be shown, short or plain, with or without what tells
 * it from others.
 */
bool shown_name_is(const char *linkage, const char *word);
