// SPDX-License-Identifier: GPL-2.0-or-later
#include "arch/arch.h"

#include <elf.h>
#include <string.h>

#include "util/vec.h"

const struct arch arch_riscv = {EM_RISCV, .kernel_min = KERNEL_HIGH, .relative = R_RISCV_RELATIVE};

#define X(name) &arch_##name,
static const struct arch *const all[] = {ARCH_MACHINES(X)};
#undef X

enum { N = array_len(all) };

const struct arch *arch_of(uint16_t machine)
{
	static const struct arch other = {EM_NONE, .kernel_min = KERNEL_HIGH};

	for (size_t i = 0; i < N; i++)
		if (all[i]->machine == machine)
			return all[i];
	return &other;
}

const struct arch *arch_by_uname(const char *machine)
{
	for (size_t i = 0; i < N; i++)
		if (all[i]->uname && !strncmp(machine, all[i]->uname, strlen(all[i]->uname)))
			return all[i];
	return NULL;
}
