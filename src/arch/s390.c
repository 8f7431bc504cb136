// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * s390x. Kernel and processes have separate address spaces, so one number can be an address in
 * both: the kernel image is at 1 MiB without KASLR, since Linux 6.10 below 2^53.
 */
#include <elf.h>

#include "arch/arch.h"

static const struct arch_relocation relocations[] = {
	{R_390_NONE, RELOCATION_NONE},
	{R_390_32, RELOCATION_ABSOLUTE_32},
	{R_390_64, RELOCATION_ABSOLUTE_64},
	{R_390_PC32, RELOCATION_RELATIVE_32},
	{R_390_PC64, RELOCATION_RELATIVE_64},
	{},
};

const struct arch arch_s390 = {
	EM_S390, .kernel_min = 0, .uname = "s390", .relocations = relocations};
