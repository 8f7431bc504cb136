// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions, one after the other. Input: a byte that says of which machine, then code. */
#include <elf.h>
#include <stdlib.h>

#include "arch/arch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	uint16_t machine = *data & 1 ? EM_AARCH64 : *data & 2 ? EM_386 : EM_X86_64;
	code_flow *flow_of = arch_of(machine)->flow;
	const uint8_t *code = data + 1;
	size_t length;

	for (size_t at = 0; at < size - 1; at += length) {
		struct flow flow;

		length = flow_of(code + at, size - 1 - at, at, &flow);
		if (length > size - 1 - at || length > FLOW_CODE_MAX)
			abort();
		if (!length)
			break;
	}
	return 0;
}
