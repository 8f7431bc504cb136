/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What machines differ in, as far as it decides which function an address is in. One table; a machine
 * of which more is to be said than a line has a file of its own.
 */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include <stdbool.h>
#include <stdint.h>

struct arch {
	uint16_t machine; /* e_machine of ELF; 0 (EM_NONE): any other */
	/* Bits of a code address that say how the code there is to be run, not where it is. */
	uint64_t mode_bits;
	/* Function symbols may be addresses of descriptors in .opd, whose first word is the code's. */
	bool descriptors;
	/*
	 * No address of a process is above this, and none of the kernel below, down to which a kernel
	 * may be configured. 0: the two have address spaces of their own, and numbers tell nothing.
	 */
	uint64_t kernel_min;
	uint64_t modules_below; /* how far below the kernel its modules may lie; 0: they do not */
};

/* Never NULL. MACHINE is e_machine. */
const struct arch *arch_of(uint16_t machine);
/* Where the code is that ADDRESS, a program counter, return address or symbol, leads to. */
static inline uint64_t arch_code_address(const struct arch *arch, uint64_t address)
{
	return address & ~arch->mode_bits;
}

/* The machines that have a file. */
extern const struct arch arch_arm, arch_ppc64, arch_s390;

#endif
