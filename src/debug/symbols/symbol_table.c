// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/symbol_table.h"

#include "object/elf_section.h"

struct symbol_table symbol_table_open(const struct elf_image *image, unsigned int type)
{
	struct elf_section section = {};

	if (!image || !elf_section_next_of(image->elf, type, &section))
		return (struct symbol_table){};
	Elf_Data *data = elf_getdata(section.scn, NULL);
	const Elf_Data *strings = elf_getdata(elf_getscn(image->elf, section.header.sh_link), NULL);
	if (!data || data->d_type != ELF_T_SYM || !data->d_buf || !strings || !strings->d_size ||
		((const char *)strings->d_buf)[strings->d_size - 1])
		return (struct symbol_table){};
	bool is_64 = gelf_getclass(image->elf) == ELFCLASS64;
	size_t n = data->d_size / (is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
	return (struct symbol_table){.image = image,
		.data = data,
		.n = n,
		.locals = section.header.sh_info < n ? section.header.sh_info : n,
		.section = elf_ndxscn(section.scn),
		.is_64 = is_64,
		.strings = strings->d_buf,
		.strings_size = strings->d_size};
}
