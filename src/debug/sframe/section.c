// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/sframe/section.h"

#include <stdlib.h>
#include <string.h>

#include "debug/files/image_words.h"
#include "debug/files/relocate.h"
#include "util/xalloc.h"
#include "object/elf_section.h"

/* of binutils 2.40 and 2.45; not every elf.h has them */
enum { PT_SFRAME = 0x6474e554, SHT_SFRAME = 0x6ffffff4 };

/* more than a program of gigabytes needs */
enum { SECTION_MAX = 1 << 30 };

/* Finds the section by its program header, which remains when section headers are stripped. */
static struct slice find_segment(const struct elf_image *image, uint64_t *address_ret)
{
	GElf_Phdr phdr;
	size_t next = 0;

	if (!elf_segment_next(image->elf, PT_SFRAME, &next, &phdr))
		return (struct slice){};
	*address_ret = phdr.p_vaddr;
	struct slice bytes = image_bytes(image, phdr.p_vaddr);
	if (bytes.len > phdr.p_filesz)
		bytes.len = phdr.p_filesz;
	return bytes;
}

/* Finds the section by its type or name. */
static bool find_section(const struct elf_image *image, struct elf_section *ret)
{
	return elf_section_next_of(image->elf, SHT_SFRAME, ret) ||
	       elf_section_find(image->elf, ".sframe", ret);
}

/*
 * Returns a relocated copy of the section of a relocatable file, owned by SECTION; empty if it has
 * unknown relocations.
 */
static struct slice relocate(const struct elf_image *image, Elf_Scn *scn, struct slice bytes,
	struct sframe_section *section)
{
	section->relocated = xmalloc(bytes.len);
	memcpy(section->relocated, bytes.data, bytes.len);
	if (!relocate_section(image, elf_ndxscn(scn), section->relocated, bytes.len))
		return (struct slice){};
	return (struct slice){section->relocated, bytes.len};
}

/* Returns true if SFRAME is for the machine of IMAGE. */
static bool fits(const struct sframe *sframe, const struct elf_image *image)
{
	switch (image->ehdr.e_machine) {
	case EM_X86_64:
		return sframe->abi == SFRAME_AMD64;
	case EM_AARCH64:
		return sframe->abi == SFRAME_AARCH64_LE || sframe->abi == SFRAME_AARCH64_BE;
	case EM_S390:
		return sframe->abi == SFRAME_S390X;
	default:
		return false;
	}
}

void sframe_section_open(const struct elf_image *image, struct sframe_section *ret)
{
	uint64_t address = 0;
	struct slice bytes = find_segment(image, &address);
	struct elf_section found = {};
	bool by_header = !bytes.len && find_section(image, &found);

	*ret = (struct sframe_section){};
	if (by_header) {
		bytes = image_section(image, &found.header);
		address = found.header.sh_addr;
	}
	if (bytes.len > SECTION_MAX)
		bytes.len = 0;
	if (by_header && bytes.len && elf_image_is_relocatable(image))
		bytes = relocate(image, found.scn, bytes, ret);
	ret->missing = ret->relocated && !bytes.len
			       ? "its SFrame section has relocations that are not known"
			       : sframe_open(bytes.data, bytes.len, address, &ret->sframe);
	/*
	 * In relocatable files starts count from their own field in all versions: only the linker
	 * makes them relative to the section, as versions 1 and 2 have them.
	 */
	if (ret->relocated)
		ret->sframe.from_field = true;
	if (!ret->missing && !fits(&ret->sframe, image))
		ret->missing = "its SFrame section is for another machine";
}

void sframe_section_deinit(struct sframe_section *section)
{
	free(section->relocated);
}
