// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * 64-bit PowerPC. In ELFv1 (all big-endian Linux but musl's) a pointer to a function, and so its
 * symbol, is the address of a descriptor in .opd: the code's address, the TOC, the environment, 8
 * bytes each (64-bit PowerPC ELF ABI Supplement, 3.2.1). ELFv2 has no .opd.
 */
#include <elf.h>

#include "arch/arch.h"

static const struct arch_relocation relocations[] = {
	{R_PPC64_NONE, RELOCATION_NONE},
	{R_PPC64_ADDR64, RELOCATION_ABSOLUTE_64},
	{R_PPC64_ADDR32, RELOCATION_ABSOLUTE_32},
	{R_PPC64_REL64, RELOCATION_RELATIVE_64},
	{R_PPC64_REL32, RELOCATION_RELATIVE_32},
	{R_PPC64_DTPREL64, RELOCATION_NONE},
	{R_PPC64_TOC, RELOCATION_NONE}, /* the second word of a function's descriptor */
	{},
};

const struct arch arch_ppc64 = {EM_PPC64, .descriptors = true, .kernel_min = 0xc000000000000000ULL,
	.uname = "ppc64", .relocations = relocations, .relative = R_PPC64_RELATIVE};
