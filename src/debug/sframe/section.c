// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/sframe/section.h"

#include <stdlib.h>
#include <string.h>

#include "debug/files/image_words.h"
#include "debug/files/relocate.h"
#include "util/xalloc.h"
#include "object/elf_section.h"

/* Of binutils 2.40 and 2.45; not in every elf.h. */
enum { PT_SFRAME = 0x6474e554, SHT_SFRAME = 0x6ffffff4 };

/* More than a program of gigabytes has. */
enum { SECTION_MAX = 1 << 30 };

/* By program header, which stripped section headers leave. */
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

/* The section of that type, or called so. */
static bool find_section(const struct elf_image *image, struct elf_section *ret)
{
	return elf_section_next_of(image->elf, SHT_SFRAME, ret) ||
	       elf_section_find(image->elf, ".sframe", ret);
}

/*
 * The bytes of a relocatable file's section with the starts of functions as a linker would set
 * them.
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

/* Its machine is that of the file. */
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
	/* Before version 3 as(1) writes what a linker turns into offsets from the section. */
	if (ret->relocated)
		ret->sframe.from_field = true;
	if (!ret->missing && !fits(&ret->sframe, image))
		ret->missing = "its SFrame section is for another machine";
}

void sframe_section_deinit(struct sframe_section *section)
{
	free(section->relocated);
}
