// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * 32-bit ARM. Bit 0 of a branch target selects Thumb (Arm ARM, BX and BLX): return addresses and
 * the values of function symbols carry it (ELF for the Arm Architecture, 5.5.3), program counters,
 * the line tables and the ranges of DWARF do not.
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

static bool call_ends_arm(const uint8_t *code)
{
	const uint8_t *end = code + CALL_CODE_LEN;
	uint32_t word = arch_word(end - 4), first = word & 0xffff, second = word >> 16;

	return ((first & 0xf800) == 0xf000 && (second & 0xc000) == 0xc000) || /* Thumb: bl, blx */
	       (second & 0xff87) == 0x4780 ||				      /* blx register */
	       ((word & 0x0f000000) == 0x0b000000 && word >> 28 != 15) ||     /* bl */
	       (word & 0xfe000000) == 0xfa000000 ||			      /* blx */
	       (word & 0x0ffffff0) == 0x012fff30 ||			      /* blx register */
	       /* before ARMv5: mov lr, pc and any jump */
	       (arch_word(end - 8) & 0x0fffffff) == 0x01a0e00f;
}

/* mov r0,r0; bl */
static bool go_exit(const uint8_t code[8])
{
	return arch_word(code) == 0xe1a00000 && code[7] == 0xeb;
}

const struct arch arch_arm = {EM_ARM, .mode_bits = 1, .kernel_min = 0x3f000000,
	.modules_below = 16 << 20, .relocations = relocations, .ends_with_call = call_ends_arm,
	/* mov r7,#173 or 119; svc #0, of ARM and of Thumb */
	.sigreturn = {{8, {0xad, 0x70, 0xa0, 0xe3, 0x00, 0x00, 0x00, 0xef}},
		{8, {0x77, 0x70, 0xa0, 0xe3, 0x00, 0x00, 0x00, 0xef}},
		{4, {0xad, 0x27, 0x00, 0xdf}}, {4, {0x77, 0x27, 0x00, 0xdf}}},
	.go_exit = go_exit};
