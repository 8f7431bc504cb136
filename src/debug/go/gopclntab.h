/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table that the Go runtime prints tracebacks with (.gopclntab): functions, lines, inlined
 * calls. It is there in stripped programs too. Formats of Go 1.2, 1.16, 1.18 and 1.20 on
 * (runtime/symtab.go, runtime/funcdata.h, cmd/link/internal/ld/pcln.go, debug/gosym); inlined calls
 * are in it since Go 1.9. Where those cannot be read, the answer has GAP_GO.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "debug/files/sections.h"
#include "debug/reader_answer.h"
#include "debug/unwind/rule.h"
#include "object/elf_image.h"
#include "util/arena.h"

struct gopclntab;

/* NULL: IMAGE, which must outlive the result, is no Go program, or its table is not readable. */
struct gopclntab *gopclntab_create(
	const struct elf_image *image, const struct debug_options *options);
void gopclntab_destroy(struct gopclntab *table);
/* How many functions the table says that it has. */
uint64_t gopclntab_functions(const struct gopclntab *table);
/*
 * The names of all functions, inlined ones too, each with the NUL behind it; live as long as the
 * image. Empty before Go 1.16.
 */
struct slice gopclntab_names(const struct gopclntab *table);
/*
 * The frames of ADDRESS, made in FRAMES; strings live as long as the image. False, and RET
 * untouched: no Go function covers it.
 */
bool gopclntab_find(
	struct gopclntab *table, uint64_t address, struct arena *frames, struct reader_answer *ret);
/*
 * Go's .debug_frame does not say where stacks begin, nor where one is left for another, as a
 * goroutine's for the thread's: mends RULE, that of ADDRESS, or says why there is none (a constant
 * string; NULL: there is).
 */
const char *gopclntab_correct_rule(
	const struct gopclntab *table, uint64_t address, struct unwind_rule *rule);
