// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * 32-bit ARM. Bit 0 of a branch target selects Thumb (Arm ARM, BX and BLX): return addresses and the
 * values of function symbols carry it (ELF for the Arm Architecture, 5.5.3), program counters, the
 * line tables and the ranges of DWARF do not.
 *
 * CONFIG_PAGE_OFFSET is 0xc0000000, 0xb0000000, 0x80000000 or 0x40000000; modules lie in the 16 MiB
 * below (arch/arm/Kconfig, arch/arm/include/asm/memory.h).
 */
#include <elf.h>

#include "arch/arch.h"

static const struct arch_relocation relocations[] = {
	{R_ARM_NONE, RELOCATION_NONE},
	{R_ARM_ABS32, RELOCATION_ABSOLUTE_32},
	{R_ARM_REL32, RELOCATION_RELATIVE_32},
	{R_ARM_TLS_LDO32, RELOCATION_NONE},
	{},
};

const struct arch arch_arm = {EM_ARM, .mode_bits = 1, .kernel_min = 0x3f000000,
	.modules_below = 16 << 20, .relocations = relocations};
