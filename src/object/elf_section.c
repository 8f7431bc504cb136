// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/elf_section.h"

#include <errno.h>
#include <string.h>

#include "util/limits.h"

/* e_phnum can claim 2^32 program headers with PN_XNUM */
enum { SEGMENTS_MAX = 4096 };

bool elf_section_next(Elf *elf, struct elf_section *section)
{
	while ((section->scn = elf_nextscn(elf, section->scn)))
		if (gelf_getshdr(section->scn, &section->header))
			return true;
	return false;
}

bool elf_section_next_of(Elf *elf, unsigned type, struct elf_section *section)
{
	while (elf_section_next(elf, section))
		if (section->header.sh_type == type)
			return true;
	return false;
}

bool elf_section_next_code(Elf *elf, struct elf_section *section)
{
	const GElf_Shdr *header = &section->header;

	while (elf_section_next(elf, section))
		if (header->sh_flags & SHF_ALLOC && header->sh_flags & SHF_EXECINSTR &&
			header->sh_size)
			return true;
	return false;
}

bool elf_section_find(Elf *elf, const char *name, struct elf_section *ret)
{
	*ret = (struct elf_section){};
	while (elf_section_next(elf, ret))
		if (!strcmp(elf_section_name(elf, ret), name))
			return true;
	return false;
}

bool elf_segment_next(Elf *elf, unsigned type, size_t *next, GElf_Phdr *ret)
{
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	while (*next < n && *next < SEGMENTS_MAX)
		if (gelf_getphdr(elf, (int)(*next)++, ret) && ret->p_type == type)
			return true;
	return false;
}

Elf_Data *elf_section_data(Elf_Scn *scn)
{
	errno = 0;
	Elf_Data *data = elf_getdata(scn, NULL);
	if (!data)
		limits_check(errno);
	return data;
}

Elf_Data *elf_section_indices(Elf *elf, size_t symbols)
{
	for (struct elf_section section = {}; elf_section_next_of(elf, SHT_SYMTAB_SHNDX, &section);)
		if (section.header.sh_link == symbols)
			return elf_section_data(section.scn);
	return NULL;
}

const char *elf_section_name(Elf *elf, const struct elf_section *section)
{
	size_t strings;
	const char *name = elf_getshdrstrndx(elf, &strings)
				   ? NULL
				   : elf_strptr(elf, strings, section->header.sh_name);

	return name ? name : "";
}

bool same_code_sections(const struct elf_image *a, const struct elf_image *b)
{
	struct elf_section one = {}, two = {};

	for (bool first = true;; first = false) {
		bool in_a = elf_section_next_code(a->elf, &one);
		bool in_b = elf_section_next_code(b->elf, &two);

		if (!in_a || !in_b)
			return first || in_a == in_b;
		if (one.header.sh_addr != two.header.sh_addr ||
			one.header.sh_size != two.header.sh_size ||
			strcmp(elf_section_name(a->elf, &one), elf_section_name(b->elf, &two)) != 0)
			return false;
	}
}
