/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwind tables of an ELF file: SFrame, .eh_frame and .debug_frame. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/files/sections.h"
#include "debug/sframe/sframe.h"
#include "debug/unwind/cfi.h"
#include "debug/unwind/rule.h"
#include "object/elf_image.h"

struct unwind_tables;

/* Creates the tables of IMAGE, which must outlive the result. Reads nothing before it is needed. */
struct unwind_tables *unwind_tables_create(const struct elf_image *image);
void unwind_tables_destroy(struct unwind_tables *tables);
/*
 * Sets the SECTIONS with .debug_frame, of IMAGE or its debug file; NULL if there are none. Returns
 * false if they were set before. SECTIONS must outlive TABLES.
 */
bool unwind_tables_add_sections(struct unwind_tables *tables, struct sections *sections);

/*
 * Finds the rule at ADDRESS in the first of the WANTED sources that has one, as debug_unwind_rule()
 * describes. Returns NULL on success, else the reason (a constant).
 */
const char *unwind_tables_rule(
	struct unwind_tables *tables, uint64_t address, unsigned wanted, struct unwind_rule *ret);
/*
 * Finds the function that covers ADDRESS, [start, end), in .eh_frame. Returns false if there is
 * none.
 */
bool unwind_tables_function(
	struct unwind_tables *tables, uint64_t address, uint64_t *start_ret, uint64_t *end_ret);
/* Returns the SFrame section; NULL if there is none, with the reason in MISSING_RET. */
const struct sframe *unwind_tables_sframe(struct unwind_tables *tables, const char **missing_ret);
/*
 * Returns why .eh_frame could not be read (a constant), after it was needed; NULL if it could, or
 * if there is none.
 */
const char *unwind_tables_unread(const struct unwind_tables *tables);
/*
 * Returns the FDEs of UNWIND_EH_FRAME or UNWIND_DEBUG_FRAME, empty if there are none. CFI_RET gets
 * the section that contains them.
 */
const struct cfi_index *unwind_tables_index(
	struct unwind_tables *tables, enum unwind_source source, const struct cfi **cfi_ret);
