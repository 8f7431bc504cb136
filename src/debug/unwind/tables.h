/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwind tables of an ELF file: SFrame, .eh_frame and .debug_frame. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/sframe/sframe.h"
#include "debug/unwind/cfi.h"
#include "debug/unwind/unwind_rule.h"
#include "object/elf_image.h"

/* A CFI section that has no search table. */
struct indexed {
	struct cfi cfi;
	struct cfi_index index;
	bool opened;
	uint8_t *relocated; /* copy, for relocatable files; NULL: none */
	/* why it could not be read; NULL if it could, or if there is no such section */
	const char *missing;
};

/* The caller sets IMAGE, which must outlive it. Nothing is read before it is needed. */
struct unwind_tables {
	const struct elf_image *image;
	struct sframe_section sframe;
	bool sframe_opened, has_holder, is_go;
	struct indexed eh_frame, debug_frame;
	struct sections *sections; /* of the holder, for .debug_frame; NULL if unreadable */
	struct cfi_fde last;	   /* found last by the search table, as addresses come in sweeps */
};

void unwind_tables_deinit(struct unwind_tables *tables);
/*
 * Sets the HOLDER of .debug_frame, IMAGE or its debug file, which must outlive TABLES. Returns
 * false if it was set before.
 */
bool unwind_tables_add_holder(struct unwind_tables *tables, const struct elf_image *holder);

/*
 * Finds the rule at ADDRESS in the first of the WANTED sources that has one, as debug_unwind_rule()
 * describes. Returns NULL on success, else the reason (a constant).
 */
const char *unwind_tables_rule(
	struct unwind_tables *tables, uint64_t address, unsigned wanted, struct unwind_rule *ret);
/*
 * Finds the FDE of the function that covers ADDRESS by the search table. Returns NULL if that has
 * none. The result is valid until the next call.
 */
const struct cfi_fde *unwind_tables_search(struct unwind_tables *tables, uint64_t address);
/*
 * Finds the FDE of the function that covers ADDRESS in .eh_frame. Returns NULL on success, else why
 * there is none (a constant).
 */
const char *unwind_tables_fde(struct unwind_tables *tables, uint64_t address, struct cfi_fde *ret);
/* Opens the SFrame section, once. */
const struct sframe_section *unwind_tables_sframe(struct unwind_tables *tables);
/*
 * Returns the section of UNWIND_EH_FRAME or UNWIND_DEBUG_FRAME, with an empty index if it is
 * missing. The holder must be set.
 */
const struct indexed *unwind_tables_index(struct unwind_tables *tables, enum unwind_source source);
