/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SFrame, the unwind tables in .sframe: versions 1, 2 (with its errata) and 3, of all machines with
 * an SFrame ABI, in either byte order (The SFrame Format, binutils 2.40 to 2.47; sframe.h).
 * Allocates no memory. All input is untrusted: inconsistent entries count as missing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "debug/unwind/unwind_rule.h"
#include "object/elf_image.h"

enum sframe_abi {
	SFRAME_AARCH64_BE = 1,
	SFRAME_AARCH64_LE = 2,
	SFRAME_AMD64 = 3,
	SFRAME_S390X = 4,
};

/* Flags of the header. */
enum {
	SFRAME_SORTED = 1,
	SFRAME_FRAME_POINTER = 2, /* all functions keep a frame pointer; versions 1 and 2 */
	SFRAME_PCREL = 4,	  /* function starts count from the field that holds them */
};

/* An SFrame section. The caller owns its bytes. */
struct sframe {
	uint64_t address; /* ELF address of the section */
	bool big_endian;
	bool from_field; /* function starts count from their own field, not from the section */
	uint8_t version, flags;
	enum sframe_abi abi;
	int8_t fixed_fp, fixed_ra; /* offset from the CFA, in bytes; 0 if not fixed */
	uint8_t aux_len;
	uint32_t n_functions, n_rows;
	const uint8_t *bytes, *functions, *rows;
	uint32_t rows_len;
};

struct sframe_function {
	uint64_t start; /* ELF address */
	uint32_t size;	/* size of the code, in bytes */
	uint32_t n_rows;
	uint32_t rows;	  /* offset of its first row in the rows, in bytes */
	uint8_t row_size; /* size of a row's start, in bytes: 1, 2 or 4 */
	/*
	 * PCMASK: size of the blocks in which the code repeats, in bytes; rows count from a block's
	 * start. Otherwise 0.
	 */
	uint8_t block;
	bool key_b; /* AArch64: return addresses are signed with key B */
	bool signal_frame;
	bool flexible;
	bool unknown; /* the type is unknown, so its rows are not read */
};

/* Base of an address. SP and FP are named by role, since their numbers depend on the machine. */
enum sframe_base {
	SFRAME_SP,
	SFRAME_FP,
	SFRAME_CFA,
	SFRAME_REGISTER, /* by DWARF number */
};

enum sframe_kind {
	SFRAME_SAME,	/* not saved: still in its own register */
	SFRAME_FIXED,	/* at the header's fixed offset from the CFA */
	SFRAME_PADDING, /* explicit zero word: like SAME or FIXED */
	SFRAME_PLACE,	/* described by the other fields */
};

struct sframe_place {
	enum sframe_kind kind;
	enum sframe_base base;
	uint8_t reg; /* for SFRAME_REGISTER */
	bool deref;  /* the value is the word at base + offset, not base + offset itself */
	int64_t offset;
};

struct sframe_row {
	uint32_t start; /* offset from the function's or block's start, in bytes */
	bool outermost; /* there is no caller; the places below are not set */
	bool mangled;	/* AArch64: the return address is signed */
	struct sframe_place cfa, ra, fp;
};

/*
 * Opens the LEN bytes at BYTES, a section at the ELF address ADDRESS. Returns NULL on success,
 * otherwise what is wrong (a constant string).
 */
const char *sframe_open(const uint8_t *bytes, size_t len, uint64_t address, struct sframe *ret);
/* Reads function I. Returns false if it does not exist or is broken. */
bool sframe_function(const struct sframe *sframe, uint32_t i, struct sframe_function *ret);
/* An iterator over the rows of a function, from sframe_rows(). */
struct sframe_rows {
	const struct sframe *sframe;
	const struct sframe_function *function;
	uint32_t at, left;
	bool broken; /* stopped at an invalid row */
};

struct sframe_rows sframe_rows(const struct sframe *sframe, const struct sframe_function *function);
bool sframe_rows_next(struct sframe_rows *rows, struct sframe_row *ret);

/* The SFrame section of an ELF file: opened, as unwind rules, and as text. */

struct sframe_section {
	/* why there is no readable section (a constant string), NULL if there is one */
	const char *missing;
	struct sframe sframe;
	/* relocated copy that SFRAME points to, if the file is relocatable; owned */
	uint8_t *relocated;
};

/*
 * Opens the SFrame section of IMAGE, which must outlive RET. Looks for PT_GNU_SFRAME, then for the
 * section type, then for the name. An empty section counts as missing.
 */
void sframe_section_open(const struct elf_image *image, struct sframe_section *ret);

/*
 * Finds the rule at ADDRESS. MACHINE is e_machine. Returns NULL on success, else the reason (a
 * constant).
 */
const char *sframe_rule(
	const struct sframe *sframe, uint16_t machine, uint64_t address, struct unwind_rule *ret);

/*
 * Prints a section of any version, in the format of `readelf --sframe` of binutils. IMAGE is the
 * file of SFRAME. If it is relocatable, addresses count from their
 * sections.
 */
void sframe_print(const struct sframe *sframe, const struct elf_image *image, FILE *out);
