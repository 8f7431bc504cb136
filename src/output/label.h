/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands in place of a name that is not known. Raw text: the caller escapes it. */
#pragma once

#include "model/frame.h"
#include "output/output.h"
#include "util/scan.h"
#include "util/text.h"

/*
 * Adds what is known about an unnamed location: "[libfoo.so+0x1234]" (the ELF address, or the file
 * offset where that is unknown; a build ID in place of a name), "[heap]" for an object without
 * either, "[unknown]" without an object, "[lost: hash collision]" for a lost stack. Never a raw
 * address: that would make every run a different name.
 */
void label_add(struct text *text, const struct location *location);
/*
 * The same, but with the start of the function for the address where that is known: one label for
 * all addresses of a function.
 */
void label_add_function(struct text *text, const struct location *location);
/* Adds "hash collision" or "bpf_get_stackid failed, error 22". */
void label_add_lost(struct text *text, enum stack_state state, int32_t error);
/* Adds why there is no name: that, or the status' text; nothing for FRAME_NAMED. */
void label_add_reason(
	struct text *text, enum frame_status status, enum stack_state lost, int32_t error);
/* The object's name; NULL when it has none, or LOCATION has no object. */
const char *label_object(const struct location *location);
/* NAME without the brackets around it, as "[vdso]" has them. */
struct scan label_bare(const char *name);
/* The name of FRAME's function as OPTIONS want it, not escaped; NULL: it has none. */
const char *label_name(const struct frame *frame, const struct output_options *options);
/*
 * Escapes the last character of the name in TEXT from START on, as \xHH, if the name ends like a
 * mark of this program, such as "?", or is in brackets as what stands in place of a name.
 */
void label_end_name(struct text *text, size_t start);
/*
 * PATH as OPTIONS want source files: without the longest of the prefixes to strip that it begins
 * with by whole components, or its last component alone.
 */
const char *label_file(const char *path, const struct output_options *options);
