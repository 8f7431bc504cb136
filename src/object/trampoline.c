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
