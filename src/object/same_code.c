// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/same_code.h"
#include "object/elf_section.h"

#include <string.h>

bool same_code_sections(const struct elf_image *a, const struct elf_image *b)
{
	struct elf_section one = {}, two = {};
	bool in_a = elf_section_next_code(a->elf, &one), in_b = elf_section_next_code(b->elf, &two);

	if (!in_a || !in_b)
		return true;
	while (in_a && in_b) {
		if (one.header.sh_addr != two.header.sh_addr ||
			one.header.sh_size != two.header.sh_size ||
			strcmp(elf_section_name(a->elf, &one), elf_section_name(b->elf, &two)) != 0)
			return false;
		in_a = elf_section_next_code(a->elf, &one);
		in_b = elf_section_next_code(b->elf, &two);
	}
	return !in_a && !in_b;
}
