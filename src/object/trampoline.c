// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/trampoline.h"

#include <string.h>

/* The instructions are an ABI: unwinders recognize them too (gcc, libgcc/config/.../linux-unwind.h). */
static const struct {
	uint16_t machine;
	uint8_t len;
	uint8_t code[9];
} trampolines[] = {
	/* mov $15,%rax; syscall */
	{EM_X86_64, 9, {0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05}},
	/* mov $173,%eax; int $0x80 */
	{EM_386, 7, {0xb8, 0xad, 0x00, 0x00, 0x00, 0xcd, 0x80}},
	/* mov x8,#139; svc #0 */
	{EM_AARCH64, 8, {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4}},
};

bool trampoline_at(const struct elf_image *image, uint64_t address)
{
	for (size_t i = 0; i < sizeof(trampolines) / sizeof(trampolines[0]); i++) {
		uint8_t code[sizeof(trampolines[i].code)];

		if (image->ehdr.e_machine == trampolines[i].machine &&
			elf_image_bytes(image, address, code, trampolines[i].len) &&
			!memcmp(code, trampolines[i].code, trampolines[i].len))
			return true;
	}
	return false;
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

/* A nop before ADDRESS, and a call at it. */
static bool is_go_exit(const struct elf_image *image, uint64_t address)
{
	uint32_t words[2];
	uint8_t code[2];

	if (image->ehdr.e_machine == EM_AARCH64) /* mov x0,x0 or nop; bl */
		return elf_image_bytes(image, address - 4, words, sizeof(words)) &&
		       (words[0] == 0xaa0003e0 || words[0] == 0xd503201f) &&
		       (words[1] & 0xfc000000) == 0x94000000;
	return elf_image_bytes(image, address - 1, code, sizeof(code)) && code[0] == 0x90 &&
	       code[1] == 0xe8;
}

bool trampoline_never_returned_to(const struct elf_image *image, uint64_t address)
{
	uint16_t machine = image->ehdr.e_machine;
	uint8_t code[8];

	if (machine != EM_X86_64 && machine != EM_386 && machine != EM_AARCH64)
		return false;
	return address >= sizeof(code) &&
	       elf_image_bytes(image, address - sizeof(code), code, sizeof(code)) &&
	       !trampoline_call_before(image, address) && !is_go_exit(image, address);
}
