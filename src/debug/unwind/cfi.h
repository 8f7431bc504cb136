/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads call frame information: .eh_frame (Linux Standard Base 5.0, chapter 10.6) and .debug_frame
 * (DWARF 5, section 6.4). We have our own reader because libdw 0.188 allocates up to gigabytes for
 * a high register number in the file, and inflates all debug sections for .debug_frame.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/dwarf/cursor.h"
#include "debug/unwind/unwind_rule.h"
#include "object/elf_image.h"

/* A CFI section. Offsets count from the start of BYTES. */
struct cfi {
	struct slice bytes;
	uint64_t address; /* ELF address of BYTES; 0 for .debug_frame */
	bool eh_frame;
	unsigned word; /* size of an address, in bytes: 4 or 8 */
};

struct cfi_cie {
	uint8_t encoding; /* DW_EH_PE_… of code addresses */
	bool sized;	  /* FDEs have augmentation data, preceded by its length */
	bool signal_frame;
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_register;
	struct cursor program; /* the initial instructions */
};

struct cfi_fde {
	bool eh_frame, big;  /* its section is .eh_frame; big-endian */
	uint64_t start, end; /* code addresses, [start, end) */
	struct cfi_cie cie;
	struct cursor program;
};

/* Reads the FDE at OFFSET. Returns false if there is none, or if its format is unknown. */
bool cfi_fde(const struct cfi *cfi, uint64_t offset, struct cfi_fde *ret);
/*
 * Computes the rule of FDE at ADDRESS, which must be in its range. Returns NULL on success, else
 * the reason (a constant).
 */
const char *cfi_rule(
	const struct cfi_fde *fde, uint16_t machine, uint64_t address, struct unwind_rule *ret);

/* The FDEs of a section, sorted by start. */
struct cfi_index {
	struct cfi_range {
		uint64_t start, end, offset; /* START is first, as sort key */
	} * data;
	size_t len, cap;
};

void cfi_index_fill(struct cfi_index *index, const struct cfi *cfi);
/* Finds the offset of the FDE that covers ADDRESS. Returns false if there is none. */
bool cfi_index_find(const struct cfi_index *index, uint64_t address, uint64_t *ret);

/*
 * By .eh_frame_hdr, which stripped files keep: it has the start of each function, .eh_frame its
 * length (Linux Standard Base 5.0, chapter 10.6).
 */

/*
 * Finds the FDE of the function that covers ADDRESS (ELF addresses), which ends where the next one
 * begins. Returns false if the tables have none or contradict each other.
 */
bool eh_frame_fde(const struct elf_image *image, uint64_t address, struct cfi_fde *ret);
/* Returns true if IMAGE has a search table. */
bool eh_frame_has_table(const struct elf_image *image);
