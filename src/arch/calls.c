// SPDX-License-Identifier: GPL-2.0-or-later
#include "arch/calls.h"

#include "arch/arch.h"

/*
 * How long a call through a register or memory is: ff /2, and ff /3 to another segment, without
 * prefixes, if its opcode is at CODE; 0: there is none. SIB is read only where it is in the call.
 */
static size_t indirect_length(const uint8_t *code, size_t len)
{
	uint8_t mode = code[1] >> 6, operation = code[1] >> 3 & 7, operand = code[1] & 7;
	bool sib = mode != 3 && operand == 4, far = operation == 3 && mode != 3;

	if (code[0] != 0xff || (operation != 2 && !far))
		return 0;
	if (mode == 1 || mode == 2)
		return (mode == 1 ? 3 : 6) + (size_t)sib;
	if (mode == 3 || (operand != 5 && !(sib && len > 2 && (code[2] & 7) == 5)))
		return 2 + (size_t)sib;
	return 6 + (size_t)sib;
}

bool call_ends_x86(const uint8_t *code)
{
	const uint8_t *end = code + CALL_CODE_LEN;

	if (end[-5] == 0xe8 || end[-7] == 0x9a)
		return true;
	for (size_t length = 2; length <= 7; length++)
		if (indirect_length(end - length, length) == length)
			return true;
	return false;
}

bool call_ends_arm64(const uint8_t *code)
{
	uint32_t word = arch_word(code + CALL_CODE_LEN - 4);

	return (word & 0xfc000000) == 0x94000000 || /* bl */
	       (word & 0xfffffc1f) == 0xd63f0000 || /* blr */
	       (word & 0xfffff81f) == 0xd63f081f || /* blraaz, blrabz */
	       (word & 0xfffff800) == 0xd73f0800;   /* blraa, blrab */
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
	       /* Before ARMv5: mov lr, pc, and then whatever jumps. */
	       (arch_word(end - 8) & 0x0fffffff) == 0x01a0e00f;
}
