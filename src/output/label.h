/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text for locations without a name, and parts of those with one. Not escaped: the caller does so.
 */
#pragma once

#include "model/frame.h"
#include "output/output.h"
#include "util/scan.h"
#include "util/text.h"

/*
 * Adds what is known about an unnamed location: "[libfoo.so+0x1234]" (the ELF address, or the file
 * offset if that is unknown; a build ID if the object has no name), "[heap]" for an object without
 * either address, "[unknown]" without an object, "[lost: hash collision]" for a lost stack. Never
 * adds a raw address, which would be different in every run.
 */
void label_add(struct text *text, const struct location *location);
/*
 * Like label_add(), but with the address where the function begins, if known, so that all addresses
 * of a function have the same label.
 */
void label_add_function(struct text *text, const struct location *location);
/*
 * Adds why there is no name: the text of STATUS, nothing for FRAME_NAMED, and for FRAME_LOST why
 * the stack was lost: "hash collision" or "bpf_get_stackid failed, error 22".
 */
void label_add_reason(
	struct text *text, enum frame_status status, enum stack_state lost, int32_t error);
/*
 * Returns the name of the object, or its path if it has no name. NULL if it has neither, or if
 * LOCATION has no object.
 */
const char *label_object(const struct location *location);
/* Returns NAME without the brackets around it, such as those of "[vdso]". */
struct scan label_bare(const char *name);
/* Returns the function name of FRAME that OPTIONS select, not escaped; NULL if it has none. */
const char *label_name(const struct frame *frame, const struct output_options *options);
/*
 * Escapes the last character of the name in TEXT from START on, as \xHH, if the name ends like a
 * mark of this program, such as "?", or if it is in brackets, like a label.
 */
void label_end_name(struct text *text, size_t start);
/*
 * Returns PATH as OPTIONS want source files: its last component alone, or without the longest
 * prefix to strip that matches whole components.
 */
const char *label_file(const char *path, const struct output_options *options);
