// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as .eh_frame_hdr and, behind it, .eh_frame; asked for the addresses in the table. */
#include <stdlib.h>
#include <string.h>

#include "../unit/elf_builder.h"
#include "debug/symbols/eh_frame.h"

enum { SIZE_MAX_HERE = 3500, BASE = 0x100000, ROWS_AT = 12, ROWS = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct elf_image *image, uint64_t address)
{
	uint64_t start;

	if (eh_frame_find(image, address, &start) && start > address)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_builder builder = {};

	if (size > SIZE_MAX_HERE)
		return 0;
	builder_section(&builder, ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, BASE, data, size);
	builder.loads[0] = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_offset = builder.sections[1].sh_offset,
		.p_vaddr = BASE,
		.p_filesz = size,
		.p_memsz = size};
	builder.loads[1] = builder.loads[0];
	builder.loads[1].p_type = PT_GNU_EH_FRAME;
	struct elf_image *image = builder_image(&builder, "eh_frame");
	for (size_t at = ROWS_AT; image && at + 4 <= size && at < ROWS_AT + 8 * ROWS; at += 8) {
		int32_t start;

		memcpy(&start, data + at, sizeof(start));
		check(image, (uint64_t)(BASE + (int64_t)start));
		check(image, (uint64_t)(BASE + (int64_t)start + 3));
	}
	elf_image_destroy(image);
	return 0;
}
