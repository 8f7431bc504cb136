/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that machines differ in, one `struct arch` each: a line in arch.c, or a file where more is to
 * be said. What a machine leaves out is not known of it, and those who ask do without.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/calls.h"
#include "arch/flow.h"

/* Canonical kernel addresses of 64-bit machines begin with this byte. */
#define KERNEL_HIGH (~0ULL << 56)

/* What a relocation does to the bytes it is about. */
enum relocation_effect {
	RELOCATION_UNKNOWN,
	RELOCATION_NONE, /* also offsets of thread-local variables: no code is found by them */
	RELOCATION_ABSOLUTE_32,
	RELOCATION_ABSOLUTE_64,
	RELOCATION_RELATIVE_32,
	RELOCATION_RELATIVE_64,
};

struct arch_relocation {
	uint32_t type;
	enum relocation_effect effect;
};

/* A section with stubs of the PLT. */
struct plt_code {
	const uint8_t *bytes;
	size_t len;
	uint64_t address;    /* of bytes[0] */
	uint64_t entry_size; /* sh_entsize; static programs do not say */
};

struct plt_stub {
	uint64_t start, end; /* of its code; END 0: there is none */
	uint64_t slot;	     /* address in the global offset table that it jumps through */
	bool indexed;	     /* SLOT is an index into .rela.plt */
};

struct arch {
	uint16_t machine; /* e_machine of ELF; 0 (EM_NONE): any other */
	/* Function symbols may be addresses of descriptors in .opd, whose first word is the code's. */
	bool descriptors;
	/* Bits of a code address that say how the code there is to be run, not where it is. */
	uint64_t mode_bits;

	/*
	 * No address of a process is above this, and none of the kernel below, down to which a kernel
	 * may be configured. 0: the two have address spaces of their own, and numbers tell nothing.
	 */
	uint64_t kernel_min;
	uint64_t modules_below; /* how far below the kernel its modules may lie; 0: they do not */
	/* How uname()'s machine begins, if its 64-bit kernel's addresses are not the usual ones. */
	const char *uname;

	/* Those in debug info, data and .opd of relocatable files; up to RELOCATION_UNKNOWN. */
	const struct arch_relocation *relocations;
	/* Types of dynamic ones: load address + addend, and those that fill slots of the PLT. */
	uint32_t relative, jump_slot, glob_dat, irelative;

	/* Tells return addresses by the code before them; NULL: not known. */
	call_ends *ends_with_call;
	/* Reads instructions; NULL: not known. */
	code_flow *flow;
	/*
	 * The address of main(), by the C library's code of ENTRY_CODE_LEN bytes that starts programs at
	 * ADDRESS; 0: unknown.
	 */
	uint64_t (*find_main)(const uint8_t *code, uint64_t address);
	/* The calls of rt_sigreturn that signal handlers return to. LEN 0: no more are known. */
	struct {
		uint8_t len, code[9];
	} sigreturn[4];
	/* CODE+4 is where Go's goroutines begin: runtime.goexit, a nop before and a call there. */
	bool (*go_exit)(const uint8_t code[8]);
	/*
	 * How many bytes at AT, where a page of a process differs from that of the file, are a
	 * uprobe's, or the rest of one. 0: none.
	 */
	size_t (*probe_length)(const uint8_t *memory, const uint8_t *file, size_t at);
	/* The stub at AT, if there is one. Returns how far on to look for the next, 0: at the end. */
	size_t (*plt_stub)(const struct plt_code *code, size_t at, struct plt_stub *ret);
};

enum {
	ARCH_PAGE = 4096,
	ENTRY_CODE_LEN = 48
}; /* bytes that probe_length() and find_main() are given */

/* Never NULL. MACHINE is e_machine. */
const struct arch *arch_of(uint16_t machine);
/* By uname()'s machine; NULL: none has such a `uname`. */
const struct arch *arch_by_uname(const char *machine);
/* Where the code is that ADDRESS, a program counter, return address or symbol, leads to. */
static inline uint64_t arch_code_address(const struct arch *arch, uint64_t address)
{
	return address & ~arch->mode_bits;
}
/* The instruction, or other little-endian word, at P. */
static inline uint32_t arch_word(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* All machines; arch.c has those of which a line says all. */
#define ARCH_MACHINES(X) X(x86_64) X(arm64) X(i386) X(arm) X(ppc64) X(s390) X(riscv)
#define X(name) extern const struct arch arch_##name;
ARCH_MACHINES(X)
#undef X
