/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SFrame, the tables for unwinding in .sframe: versions 1, 2 (with its errata) and 3, of each
 * machine that has an ABI there, in its byte order (The SFrame Format, binutils 2.40 to 2.47;
 * sframe.h). It allocates nothing and believes nothing: what does not fit is not there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sframe_abi {
	SFRAME_AARCH64_BE = 1,
	SFRAME_AARCH64_LE = 2,
	SFRAME_AMD64 = 3,
	SFRAME_S390X = 4,
};

/* Of the header's flags. */
enum {
	SFRAME_SORTED = 1,
	SFRAME_FRAME_POINTER = 2, /* all functions keep it; versions 1 and 2 */
	SFRAME_PCREL = 4,	  /* starts of functions count from the field that holds them */
};

/* A section; its bytes stay the caller's. */
struct sframe {
	uint64_t address; /* of the section: an ELF address */
	bool big_endian;
	bool from_field; /* starts of functions count from the field that holds them, not the section */
	uint8_t version, flags;
	enum sframe_abi abi;
	int8_t fixed_fp, fixed_ra; /* from the CFA; 0: none */
	uint8_t aux_len;
	uint32_t n_functions, n_rows;
	const uint8_t *bytes, *functions, *rows;
	uint32_t rows_len;
};

struct sframe_function {
	uint64_t start; /* ELF address */
	uint32_t size;	/* bytes of code */
	uint32_t n_rows;
	uint32_t rows;	  /* where they begin in the rows */
	uint8_t row_size; /* bytes of a row's start: 1, 2 or 4 */
	uint8_t block; /* PCMASK: the code repeats after so many bytes, and rows say where in them; else 0 */
	bool key_b; /* AArch64: return addresses are signed with key B */
	bool signal_frame;
	bool flexible;
	bool unknown; /* of a kind that is not known here: nothing is said of its rows */
};

/* Registers by their part, since numbers depend on the machine. */
enum sframe_base {
	SFRAME_SP,
	SFRAME_FP,
	SFRAME_CFA,
	SFRAME_REGISTER, /* by DWARF number */
};

enum sframe_kind {
	SFRAME_SAME,	/* in its own register still */
	SFRAME_FIXED,	/* at the header's fixed offset from the CFA */
	SFRAME_PADDING, /* as SAME or FIXED, but there is a word that says so */
	SFRAME_PLACE,	/* by the other members */
};

struct sframe_place {
	enum sframe_kind kind;
	enum sframe_base base;
	uint8_t reg; /* of SFRAME_REGISTER */
	bool deref;  /* the word at base + offset, else base + offset */
	int64_t offset;
};

struct sframe_row {
	uint32_t start; /* from the function's start, or from its block's */
	bool outermost; /* there is no caller, and nothing below is set */
	bool mangled;	/* AArch64: the return address is signed */
	struct sframe_place cfa, ra, fp;
};

/*
 * Opens LEN bytes at BYTES, which were read from ADDRESS. NULL: fine; else what is wrong with them.
 */
const char *sframe_open(const uint8_t *bytes, size_t len, uint64_t address, struct sframe *ret);
/* The function with number I. False: there is none, or it is broken. */
bool sframe_function(const struct sframe *sframe, uint32_t i, struct sframe_function *ret);
/*
 * The function that holds ADDRESS. Of a table that is not sorted only the first 65536 are looked
 * at.
 */
bool sframe_find(const struct sframe *sframe, uint64_t address, struct sframe_function *ret);

/* Goes through the rows of a function; filled by sframe_rows(). */
struct sframe_rows {
	const struct sframe *sframe;
	const struct sframe_function *function;
	uint32_t at, left;
	bool broken; /* it ended at a row that is none */
};

struct sframe_rows sframe_rows(const struct sframe *sframe, const struct sframe_function *function);
bool sframe_rows_next(struct sframe_rows *rows, struct sframe_row *ret);

/*
 * The row for ADDRESS, which FUNCTION holds, and the ELF addresses [START, END) that it is for.
 * False: no row, or the rows are broken before it.
 */
bool sframe_row_at(const struct sframe *sframe, const struct sframe_function *function,
	uint64_t address, struct sframe_row *ret, uint64_t *start_ret, uint64_t *end_ret);
