// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/minidebug.h"

#include <stdlib.h>
#include <string.h>

#include "debug/files/image_words.h"
#include "util/cleanup.h"
#include "object/elf_section.h"
#include "object/unpack.h"

/*
 * Limits in bytes: symbols of a huge program take about 10 MB, and `xz -9` needs 65 MB to
 * decompress.
 */
enum { MINI_MAX = 96 << 20, MEMORY_MAX = 80 << 20 };
/*
 * Limit on code sections, because each is searched for in the other file. Programs have about five.
 */
enum { SECTIONS_MAX = 256 };

bool minidebug_needless(const struct elf_image *image)
{
	struct elf_section section = {};

	return elf_section_next_of(image->elf, SHT_SYMTAB, &section);
}

static struct slice find_packed(const struct elf_image *image)
{
	struct elf_section section;

	if (!elf_section_find(image->elf, ".gnu_debugdata", &section) ||
		section.header.sh_type != SHT_PROGBITS)
		return (struct slice){};
	return image_section(image, &section.header);
}

static struct elf_image *unpack_image(struct slice packed, const char *name)
{
	struct unpacked bytes = {.max = MINI_MAX};
	struct elf_image *image = NULL;

	if (unpack_xz(packed.data, packed.len, MEMORY_MAX, false, &bytes) && bytes.len)
		error_destroy(elf_image_from_memory(bytes.data, bytes.len, name, &image));
	else
		free(bytes.data);
	return image;
}

static bool has_code_section(const struct elf_image *image, const GElf_Shdr *wanted)
{
	for (struct elf_section section = {}; elf_section_next_code(image->elf, &section);)
		if (section.header.sh_addr == wanted->sh_addr &&
			section.header.sh_size == wanted->sh_size)
			return true;
	return false;
}

/*
 * Returns true if MINI appears to be of the same build: build IDs, if both are known, are equal,
 * and the code is at the same addresses as IMAGE's.
 */
static bool is_of(const struct elf_image *mini, const struct elf_image *image)
{
	struct elf_section section = {};
	size_t n = 0;

	if (mini->build_id.len && image->build_id.len &&
		!build_id_equal(&mini->build_id, &image->build_id))
		return false;
	for (; elf_section_next_code(mini->elf, &section); n++)
		if (n == SECTIONS_MAX || !has_code_section(image, &section.header))
			return false;
	return n;
}

struct elf_image *minidebug_open(const struct elf_image *image)
{
	struct slice packed = find_packed(image);

	if (!packed.len)
		return NULL;
	scope_guard(elf_image_cleanup) struct elf_image *mini =
		unpack_image(packed, ".gnu_debugdata");
	return mini && is_of(mini, image) ? take(mini) : NULL;
}
