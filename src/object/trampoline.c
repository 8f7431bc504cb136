// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/trampoline.h"

#include <string.h>

#include "arch/arch.h"
#include "util/vec.h"

bool trampoline_at(const struct elf_image *image, uint64_t address)
{
	/* The instructions are part of the ABI: unwinders match them too (gcc, linux-unwind.h). */
	const struct arch *arch = arch_of(image->ehdr.e_machine);

	for (size_t i = 0; i < array_len(arch->sigreturn); i++) {
		uint8_t code[sizeof(arch->sigreturn[i].code)];
		size_t len = arch->sigreturn[i].len;

		if (len && elf_image_bytes(image, address, code, len) &&
			!memcmp(code, arch->sigreturn[i].code, len))
			return true;
	}
	return false;
}

uint64_t trampoline_length(const struct elf_image *image)
{
	return arch_of(image->ehdr.e_machine)->sigreturn[0].len;
}

/*
 * Reads the CALL_CODE_LEN bytes before ADDRESS into CODE. Returns the function that finds a call at
 * their end, or NULL if the machine is not supported or there are no such bytes.
 */
static call_ends *code_before(const struct elf_image *image, uint64_t address, uint8_t *code)
{
	bool big_arm = image->ehdr.e_machine == EM_ARM && elf_image_is_big(image);
	call_ends *ends = arch_of(image->ehdr.e_machine)->ends_with_call;

	return !big_arm && address >= CALL_CODE_LEN &&
			       elf_image_bytes(image, address - CALL_CODE_LEN, code, CALL_CODE_LEN)
		       ? ends
		       : NULL;
}

bool trampoline_call_before(const struct elf_image *image, uint64_t address)
{
	uint8_t code[CALL_CODE_LEN];
	call_ends *ends = code_before(image, address, code);

	return ends && ends(code);
}

bool trampoline_never_returned_to(const struct elf_image *image, uint64_t address)
{
	const struct arch *arch = arch_of(image->ehdr.e_machine);
	uint8_t code[CALL_CODE_LEN];
	call_ends *ends = code_before(image, address, code);

	return ends && !ends(code) &&
	       !(elf_image_bytes(image, address - 4, code, sizeof(code)) && arch->go_exit(code));
}
