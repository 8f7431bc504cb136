/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that differs between machines: one `struct arch` each, in arch.c or in a file of its
 * own. Members that a machine does not set are unknown, and callers do without.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* longest call sequence, in bytes */
enum { CALL_CODE_LEN = 8 };

/*
 * Tests whether code ends with a call, so that the address after it can be a return address. CODE:
 * the CALL_CODE_LEN bytes before the address, of a little-endian file, or of any on AArch64, whose
 * instructions are always little-endian. Other code may look like a call, because instructions
 * cannot be decoded backwards; calls are always recognized. Encodings: Intel SDM volume 2, CALL;
 * Arm ARM, BL, BLX, BLR and BLRA*.
 */
typedef bool call_ends(const uint8_t *code);

/* The length of an instruction and its branch target, to list the calls and jumps of a function. */
enum flow_kind {
	FLOW_NEXT, /* falls through, or ends the program */
	FLOW_CALL,
	FLOW_JUMP, /* conditional or not */
	FLOW_RETURN,
};

/* What an instruction does to the frame pointer. */
enum flow_fp {
	FLOW_FP_UNKNOWN, /* on machines other than x86 */
	FLOW_FP_KEPT,
	FLOW_FP_PUSHED, /* pushes it */
	FLOW_FP_FRAMED, /* copies SP to it */
	FLOW_FP_SET,	/* any other value; some that are computed from the old one are missed */
	FLOW_FP_BURIED, /* pushes another register */
};

struct flow {
	enum flow_kind kind;
	bool indirect;	 /* through a register or memory */
	uint64_t target; /* ELF address, unless INDIRECT */
	bool ends; /* never continues at the next instruction: a return, a trap, an unconditional jump */
	enum flow_fp fp;
};

/* longest instruction, in bytes */
enum { FLOW_CODE_MAX = 15 };

/*
 * Decodes the instruction at CODE, whose ELF address is ADDRESS, from LEN bytes (FLOW_CODE_MAX at
 * most are read). Returns its length in bytes; 0: unknown or incomplete.
 */
typedef size_t code_flow(const uint8_t *code, size_t len, uint64_t address, struct flow *ret);

code_flow flow_x86_64;
code_flow flow_i386;

/* The lowest canonical kernel address on most 64-bit machines. */
#define KERNEL_HIGH (~0ULL << 56)

/* What a relocation writes. */
enum relocation_effect {
	RELOCATION_UNKNOWN,
	RELOCATION_NONE, /* nothing, or an offset of a thread-local variable: neither locates code */
	RELOCATION_ABSOLUTE_32,
	RELOCATION_ABSOLUTE_64,
	RELOCATION_RELATIVE_32,
	RELOCATION_RELATIVE_64,
};

struct arch_relocation {
	uint32_t type;
	enum relocation_effect effect;
};

/* A section of PLT stubs. */
struct plt_code {
	const uint8_t *bytes;
	size_t len;
	uint64_t address;    /* ELF address of bytes[0] */
	uint64_t entry_size; /* sh_entsize; 0 in static programs */
};

struct plt_stub {
	uint64_t start, end; /* ELF addresses [start, end); END 0: no stub */
	uint64_t slot;	     /* address of its entry in the global offset table */
	bool indexed;	     /* SLOT is an index into .rela.plt */
};

struct arch {
	uint16_t machine; /* e_machine; EM_NONE (0): any other */
	/*
	 * function symbols may point to descriptors in .opd, whose first word is the code's address
	 */
	bool descriptors;
	/* bits of a code address that select an instruction set, not a location */
	uint64_t mode_bits;

	/*
	 * Lowest kernel address that can be configured: addresses below belong to processes. 0: the
	 * address spaces of kernel and processes overlap.
	 */
	uint64_t kernel_min;
	uint64_t modules_below; /* bytes below the kernel that modules may use; 0: none */
	/* prefix of uname()'s machine, set if its 64-bit kernel does not start at KERNEL_HIGH */
	const char *uname;

	/* in debug info, data and .opd of relocatable files; ends with RELOCATION_UNKNOWN */
	const struct arch_relocation *relocations;
	/*
	 * dynamic relocation types: load address + addend, and those that fill entries of the GOT
	 */
	uint32_t relative, jump_slot, glob_dat, irelative;

	/* recognizes a return address by the code before it; NULL: not implemented */
	call_ends *ends_with_call;
	/* decodes an instruction; NULL: not implemented */
	code_flow *flow;
	/*
	 * Returns the address of main(), found in the ENTRY_CODE_LEN bytes of the C library's start
	 * code at ADDRESS; 0: unknown.
	 */
	uint64_t (*find_main)(const uint8_t *code, uint64_t address);
	/* calls of rt_sigreturn, to which signal handlers return; ends with LEN 0 */
	struct {
		uint8_t len, code[9];
	} sigreturn[4];
	/*
	 * Returns true if CODE is Go's runtime.goexit, where goroutines begin: a nop, then a call.
	 */
	bool (*go_exit)(const uint8_t code[8]);
	/*
	 * Returns true if CODE ends with the instruction by which Go's functions load their caller's FP
	 * again; NULL: not implemented.
	 */
	bool (*go_loads_fp)(const uint8_t code[8]);
	/*
	 * Returns how many bytes of a uprobe are at AT, where a page in memory differs from the
	 * file; 0: none.
	 */
	size_t (*probe_length)(const uint8_t *memory, const uint8_t *file, size_t at);
	/* Finds the stub at AT, if any. Returns the distance to the next candidate; 0: no more. */
	size_t (*plt_stub)(const struct plt_code *code, size_t at, struct plt_stub *ret);
};

enum { ARCH_PAGE = 4096, ENTRY_CODE_LEN = 48 }; /* bytes passed to probe_length() and find_main() */

/* Returns the machine with this e_machine, never NULL. */
const struct arch *arch_of(uint16_t machine);
/* Finds a machine by uname()'s name. Returns NULL if no `uname` matches. */
const struct arch *arch_by_uname(const char *machine);
/* Returns the code's location for ADDRESS: a program counter, return address or symbol. */
static inline uint64_t arch_code_address(const struct arch *arch, uint64_t address)
{
	return address & ~arch->mode_bits;
}
/* Returns the little-endian word at P. */
static inline uint32_t arch_word(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* All machines; arch.c defines those that need one line. */
#define ARCH_MACHINES(X) X(x86_64) X(arm64) X(i386) X(arm) X(ppc64) X(s390) X(riscv)
#define X(name) extern const struct arch arch_##name;
ARCH_MACHINES(X)
#undef X

/* Symbols of assemblers, linkers and compilers that are not functions. */

enum marker {
	MARKER_NONE,   /* may be a function */
	MARKER_INSIDE, /* a label within a function */
	MARKER_BORDER, /* a border between functions */
};

/* Classifies an untyped symbol by its NAME of LEN bytes. */
enum marker marker_of(const char *name, size_t len);
