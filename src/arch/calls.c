// SPDX-License-Identifier: GPL-2.0-or-later
#include "arch/calls.h"

#include "arch/arch.h"

bool call_ends_x86(const uint8_t *code)
{
	const uint8_t *end = code + CALL_CODE_LEN;
	struct flow flow;

	for (size_t length = 2; length <= 7; length++)
		if (flow_x86_64(end - length, length, 0, &flow) == length && flow.kind == FLOW_CALL)
			return true;
	return end[-7] == 0x9a; /* i386: far call */
}

static bool is_thumb_call(const uint8_t *end)
{
	uint32_t first = arch_word(end - 4) & 0xffff, second = arch_word(end - 4) >> 16;

	return ((first & 0xf800) == 0xf000 && (second & 0xc000) == 0xc000) || /* bl, blx */
	       (second & 0xff87) == 0x4780;				      /* blx register */
}

bool call_ends_arm(const uint8_t *code)
{
	const uint8_t *end = code + CALL_CODE_LEN;
	uint32_t word = arch_word(end - 4);

	return is_thumb_call(end) ||
	       ((word & 0x0f000000) == 0x0b000000 && word >> 28 != 15) || /* bl */
	       (word & 0xfe000000) == 0xfa000000 ||			  /* blx */
	       (word & 0x0ffffff0) == 0x012fff30 ||			  /* blx register */
	       /* before ARMv5: mov lr, pc and any jump */
	       (arch_word(end - 8) & 0x0fffffff) == 0x01a0e00f;
}
