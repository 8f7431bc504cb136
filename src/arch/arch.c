// SPDX-License-Identifier: GPL-2.0-or-later
#include "arch/arch.h"

#include <elf.h>
#include <stddef.h>

/* Canonical kernel addresses of 64-bit machines begin with this byte. */
#define HIGH (~0ULL << 56)

const struct arch *arch_of(uint16_t machine)
{
	static const struct arch i386 = {EM_386, .kernel_min = 0x40000000};
	static const struct arch other = {EM_NONE, .kernel_min = HIGH};
	static const struct arch *const all[] = {&arch_arm, &arch_ppc64, &arch_s390, &i386};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i]->machine == machine)
			return all[i];
	return &other;
}
