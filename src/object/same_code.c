// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/same_code.h"

#include <string.h>

/* The next code section after SCN; NULL: none. */
static Elf_Scn *next_code(const struct elf_image *image, Elf_Scn *scn, GElf_Shdr *ret)
{
	while ((scn = elf_nextscn(image->elf, scn)))
		if (gelf_getshdr(scn, ret) && ret->sh_flags & SHF_ALLOC &&
			ret->sh_flags & SHF_EXECINSTR && ret->sh_size)
			return scn;
	return NULL;
}

static const char *name_of(const struct elf_image *image, const GElf_Shdr *shdr)
{
	size_t strings;
	const char *name = elf_getshdrstrndx(image->elf, &strings)
				   ? NULL
				   : elf_strptr(image->elf, strings, shdr->sh_name);

	return name ? name : "";
}

bool same_code_sections(const struct elf_image *a, const struct elf_image *b)
{
	GElf_Shdr one, two;
	Elf_Scn *in_a = next_code(a, NULL, &one), *in_b = next_code(b, NULL, &two);

	if (!in_a || !in_b)
		return true;
	while (in_a && in_b) {
		if (one.sh_addr != two.sh_addr || one.sh_size != two.sh_size ||
			strcmp(name_of(a, &one), name_of(b, &two)) != 0)
			return false;
		in_a = next_code(a, in_a, &one);
		in_b = next_code(b, in_b, &two);
	}
	return !in_a && !in_b;
}
