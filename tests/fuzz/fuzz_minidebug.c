// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as .gnu_debugdata of a file with code at [0x1000, 0x1400). */
#include "../unit/elf_builder.h"
#include "debug/symbols/symbol_table.h"
#include "debug/symbols/symtab.h"

enum { SIZE_MAX_HERE = 3500 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_symbols(const struct elf_image *image, const struct elf_image *mini)
{
	static const uint64_t addresses[] = {0x1000, 0x1010, 0x1234};
	struct symtab *symtab = symtab_create(image, mini);

	symtab_want(symtab, addresses, 3);
	for (size_t i = 0; i < 3; i++)
		symtab_find(symtab, addresses[i]);
	symtab_destroy(symtab);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_builder builder = {};

	if (size > SIZE_MAX_HERE)
		return 0;
	builder_section(
		&builder, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 0x400);
	builder_section(&builder, ".gnu_debugdata", SHT_PROGBITS, 0, 0, data, size);
	struct elf_image *image = builder_image(&builder, "mini");
	if (!image)
		return 0;
	struct elf_image *mini = minidebug_open(image, NULL);
	read_symbols(image, mini);
	elf_image_destroy(mini);
	elf_image_destroy(image);
	return 0;
}
