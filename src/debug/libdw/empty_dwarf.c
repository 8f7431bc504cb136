// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/libdw/empty_dwarf.h"

#include <elf.h>
#include <string.h>

enum { SECTIONS = 3 };

#define NAMES "\0.debug_info\0.shstrtab"

struct empty_file {
	Elf64_Ehdr header;
	Elf64_Shdr sections[SECTIONS];
	char names[sizeof(NAMES)];
	char info[8];
};

static const struct empty_file file = {
	.header =
		{
			.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB,
				EV_CURRENT},
			.e_type = ET_DYN,
			.e_version = EV_CURRENT,
			.e_shoff = offsetof(struct empty_file, sections),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = SECTIONS,
			.e_shstrndx = 2,
		},
	.sections =
		{
			{},
			{.sh_name = 1,
				.sh_type = SHT_PROGBITS,
				.sh_offset = offsetof(struct empty_file, info),
				.sh_size = 1,
				.sh_addralign = 1},
			{.sh_name = 13,
				.sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct empty_file, names),
				.sh_size = sizeof(NAMES),
				.sh_addralign = 1},
		},
	.names = NAMES,
};

Dwarf *empty_dwarf(Elf **elf_ret)
{
	/* libelf reads the image in place and writes nothing to it. */
	Elf *elf = elf_memory((char *)(uintptr_t)&file, sizeof(file));
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;

	if (!dwarf)
		elf_end(elf);
	else
		*elf_ret = elf;
	return dwarf;
}
