/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables for unwinding of an ELF file: SFrame, .eh_frame and .debug_frame. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/files/sections.h"
#include "debug/sframe/sframe.h"
#include "debug/unwind/cfi.h"
#include "debug/unwind/rule.h"
#include "object/elf_image.h"

struct unwind_tables;

/* IMAGE must outlive the result. Nothing is read before it is needed. */
struct unwind_tables *unwind_tables_create(const struct elf_image *image);
void unwind_tables_destroy(struct unwind_tables *tables);
/*
 * Where .debug_frame is, once: in IMAGE or its debug file. NULL: nowhere. SECTIONS must outlive
 * TABLES.
 */
void unwind_tables_add_sections(struct unwind_tables *tables, struct sections *sections);
bool unwind_tables_has_sections(const struct unwind_tables *tables);
/*
 * Go's functions keep frame pointers, and change every other register, but its linker writes of SP
 * and the return address alone: rules of its .debug_frame have the others as UNDEFINED.
 */
bool unwind_tables_is_go(const struct unwind_tables *tables);

/*
 * The rule at ADDRESS by the first of WANTED that has one, as debug_unwind_rule() says. NULL: fine;
 * else why there is none.
 */
const char *unwind_tables_rule(
	struct unwind_tables *tables, uint64_t address, unsigned wanted, struct unwind_rule *ret);
/* The function that covers ADDRESS, [start, end), by .eh_frame. False: it has none. */
bool unwind_tables_function(
	struct unwind_tables *tables, uint64_t address, uint64_t *start_ret, uint64_t *end_ret);
/* NULL: there is no SFrame section, and MISSING_RET says why. */
const struct sframe *unwind_tables_sframe(struct unwind_tables *tables, const char **missing_ret);
/* Why .eh_frame is not read, once it was asked for (a constant); NULL: it is, or there is none. */
const char *unwind_tables_unread(const struct unwind_tables *tables);
/*
 * The FDEs of UNWIND_EH_FRAME or UNWIND_DEBUG_FRAME, empty if there are none; CFI_RET: what they
 * are in.
 */
const struct cfi_index *unwind_tables_index(
	struct unwind_tables *tables, enum unwind_source source, const struct cfi **cfi_ret);
