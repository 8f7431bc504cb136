// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes as symbols, 24 each, whose names are in the same bytes: a sweep for a few addresses must
 * find what the table of all symbols has. They are symbols of x86-64, of ARM, and of PowerPC with the
 * bytes as its .opd too.
 */
#include <stdlib.h>

#include "../unit/elf_builder.h"
#include "debug/symbols/symtab.h"

enum { SIZE_MAX_HERE = 3500, N = 24 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct elf_image *image_with(const uint8_t *symbols, size_t size, Elf64_Half machine)
{
	struct elf_builder builder = {.machine = machine};

	builder_section(
		&builder, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 0x400);
	builder_section(&builder, ".symtab", SHT_SYMTAB, 0, 0, symbols, size);
	builder.sections[2].sh_link = 3;
	builder.sections[2].sh_entsize = sizeof(Elf64_Sym);
	builder_section(&builder, ".strtab", SHT_STRTAB, 0, 0, NULL, size);
	builder.sections[3].sh_offset = builder.sections[2].sh_offset;
	builder_section(&builder, ".opd", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x2000, NULL, size);
	builder.sections[4].sh_offset = builder.sections[2].sh_offset;
	return builder_image(&builder, "symtab");
}

static void compare(struct elf_image *image)
{
	struct symtab *all = symtab_create(image, NULL), *few = symtab_create(image, NULL);
	uint64_t addresses[N];
	size_t n;

	for (size_t i = 0; i < N; i++)
		addresses[i] = 0xff0 + 45 * i;
	symtab_symbols(all, &n);
	symtab_want(few, addresses, N);
	for (size_t i = 0; i < N; i++) {
		const struct symbol *a = symtab_find(all, addresses[i]);
		const struct symbol *b = symtab_find(few, addresses[i]);

		if (!a != !b || (a && (a->name != b->name || a->start != b->start)))
			abort();
	}
	symtab_destroy(all);
	symtab_destroy(few);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const Elf64_Half machines[] = {EM_X86_64, EM_ARM, EM_PPC64};

	if (size > SIZE_MAX_HERE)
		return 0;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct elf_image *image = image_with(data, size, machines[i]);

		if (image)
			compare(image);
		elf_image_destroy(image);
	}
	return 0;
}
