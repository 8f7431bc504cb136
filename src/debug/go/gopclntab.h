/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reader of .gopclntab, the table that the Go runtime uses for tracebacks: functions, lines and
 * inlined calls. Stripped programs keep it. Reads the formats of Go 1.2, 1.16, 1.18 and of 1.20 and
 * later (runtime/symtab.go, runtime/funcdata.h, cmd/link/internal/ld/pcln.go, debug/gosym). Inlined
 * calls exist since Go 1.9; if they cannot be read, the answer has GAP_GO.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "debug/files/sections.h"
#include "debug/answers.h"
#include "debug/unwind/unwind_rule.h"
#include "object/elf_image.h"
#include "util/arena.h"

/* Location and layout of a Go program's pclntab. */

enum go_version {
	GO_1_2,
	GO_1_16,
	GO_1_18,
	GO_1_20,
};

struct go_layout {
	enum go_version version;
	uint64_t address;     /* ELF address of the table */
	struct slice table;   /* from the table's header to the end of its segment or section */
	unsigned quantum;     /* unit of address deltas in programs, in bytes */
	unsigned word;	      /* size of a pointer, in bytes */
	uint64_t n_functions; /* as stored in the table */
	uint64_t text; /* ELF address of functions' offset 0; 0 if functions have addresses */
	/* ELF address of funcdata's offset 0; 0 if unknown, or if funcdata are pointers. */
	uint64_t gofunc;
	/* Parts, each to the end of the table; empty if the version does not have the part. */
	struct slice names, units, files, programs, functions;
	uint64_t functions_at; /* offset of FUNCTIONS in the table, in bytes */
	unsigned first;	       /* offset of the first entry in FUNCTIONS, in bytes */
	unsigned field;	       /* bytes of each of the two fields of an entry */
};

/* Returns false if IMAGE has no readable pclntab of a known version. */
bool go_layout_find(const struct image_words *words, struct go_layout *ret);

struct gopclntab {
	struct image_words words;
	struct go_layout layout;
	bool inlines;
	size_t steps; /* steps left for the programs of the address that is looked up */
};

/*
 * Returns NULL if IMAGE is not a Go program or its table cannot be read. IMAGE must outlive the
 * result.
 */
struct gopclntab *gopclntab_create(
	const struct elf_image *image, const struct debug_options *options);
void gopclntab_destroy(struct gopclntab *table);
/*
 * Returns the names of all functions, inlined ones included, each NUL-terminated. They live as long
 * as the image. Returns an empty slice for Go before 1.16.
 */
struct slice gopclntab_names(const struct gopclntab *table);
/*
 * Finds the frames of ADDRESS (ELF address), innermost first. RET's frames are allocated in FRAMES;
 * its strings live as long as the image. Returns false, and leaves RET alone, if no Go function
 * covers ADDRESS.
 */
bool gopclntab_find(
	struct gopclntab *table, uint64_t address, struct arena *frames, struct reader_answer *ret);
/*
 * Corrects RULE, the .debug_frame rule of ADDRESS. Go's .debug_frame marks neither the outermost
 * functions nor those that switch stacks, for example from a goroutine's to the thread's. Returns
 * NULL if RULE can be used; otherwise the reason why not (a constant string).
 */
const char *gopclntab_correct_rule(
	const struct gopclntab *table, uint64_t address, struct unwind_rule *rule);
