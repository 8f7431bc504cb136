/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information: .eh_frame (Linux Standard Base 5.0, chapter 10.6) and .debug_frame (DWARF
 * 5, section 6.4). A reader of our own, since libdw 0.188 allocates up to gigabytes by a register's
 * number in the file, and inflates all debug sections for .debug_frame.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/dwarf/cursor.h"
#include "debug/unwind/rule.h"

/* Bytes with records in them; offsets count from their start. */
struct cfi {
	struct slice bytes;
	uint64_t address; /* of the bytes; .debug_frame: 0 */
	bool eh_frame;
	unsigned word; /* bytes of an address: 4 or 8 */
	bool big_endian;
};

struct cfi_cie {
	uint8_t encoding; /* DW_EH_PE_… of code addresses */
	bool sized;	  /* FDEs have augmentation data, with its length before it */
	bool signal_frame;
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_register;
	struct cursor program; /* the instructions */
};

struct cfi_fde {
	uint64_t start, end; /* of the code: [start, end) */
	struct cfi_cie cie;
	struct cursor program;
};

/* Bytes of a pointer in this encoding (DW_EH_PE_…), 0: a kind that nobody writes. */
unsigned cfi_pointer_size(uint8_t encoding, unsigned word);
/* The FDE at OFFSET. False: there is none, or of a kind that is not known. */
bool cfi_fde(const struct cfi *cfi, uint64_t offset, struct cfi_fde *ret);
/* The rule of FDE at ADDRESS, which it holds. NULL: fine; else why there is none. */
const char *cfi_rule(const struct cfi *cfi, const struct cfi_fde *fde, uint16_t machine,
	uint64_t address, struct unwind_rule *ret);

/* The FDEs of a section by their code. Zero-filled is empty. */
struct cfi_index {
	struct cfi_range {
		uint64_t start, end, offset;
	} * data;
	size_t len, cap;
};

void cfi_index_fill(struct cfi_index *index, const struct cfi *cfi);
void cfi_index_deinit(struct cfi_index *index);
/* The offset of the FDE that holds ADDRESS. */
bool cfi_index_find(const struct cfi_index *index, uint64_t address, uint64_t *ret);
