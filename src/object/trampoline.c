// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/trampoline.h"

#include <string.h>

#include "arch/arch.h"

bool trampoline_at(const struct elf_image *image, uint64_t address)
{
	/* The instructions are an ABI: unwinders recognize them too (gcc, linux-unwind.h). */
	const struct arch *arch = arch_of(image->ehdr.e_machine);
	uint8_t code[sizeof(arch->sigreturn.code)];
	size_t len = arch->sigreturn.len;

	return len && elf_image_bytes(image, address, code, len) &&
	       !memcmp(code, arch->sigreturn.code, len);
}

/* Length of an indirect call (ff /2) whose opcode is at CODE, without prefixes; 0: it is none. */
static size_t indirect_call_length(const uint8_t *code)
{
	uint8_t mode = code[1] >> 6, operand = code[1] & 7;
	size_t sib = mode != 3 && operand == 4;

	if (code[0] != 0xff || (code[1] >> 3 & 7) != 2)
		return 0;
	if (mode == 3 || (mode == 0 && operand != 5 && !(sib && (code[2] & 7) == 5)))
		return 2 + sib;
	return mode == 1 ? 3 + sib : 6 + sib;
}

/* CODE holds the 8 bytes before the address, and 3 bytes that may be read but mean nothing. */
static bool ends_with_x86_call(const uint8_t *code)
{
	if (code[8 - 5] == 0xe8)
		return true;
	for (size_t length = 2; length <= 7; length++)
		if (indirect_call_length(code + 8 - length) == length)
			return true;
	return false;
}

bool trampoline_call_before(const struct elf_image *image, uint64_t address)
{
	uint8_t code[8 + 3] = {};
	uint32_t instruction;

	if (address < 8 || !elf_image_bytes(image, address - 8, code, 8))
		return false;
	switch (image->ehdr.e_machine) {
	case EM_X86_64:
	case EM_386:
		return ends_with_x86_call(code);
	case EM_AARCH64: /* bl, blr, and blraa and so on of pointer authentication */
		memcpy(&instruction, code + 4, sizeof(instruction));
		return (instruction & 0xfc000000) == 0x94000000 ||
		       (instruction & 0xfefff000) == 0xd63f0000;
	default:
		return false;
	}
}

bool trampoline_never_returned_to(const struct elf_image *image, uint64_t address)
{
	const struct arch *arch = arch_of(image->ehdr.e_machine);
	uint8_t code[8];

	return arch->go_exit && address >= sizeof(code) &&
	       elf_image_bytes(image, address - sizeof(code), code, sizeof(code)) &&
	       !trampoline_call_before(image, address) &&
	       !(elf_image_bytes(image, address - 4, code, sizeof(code)) && arch->go_exit(code));
}
