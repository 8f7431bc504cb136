// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/minidebug.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "debug/files/sections.h"
#include "util/cleanup.h"
#include "util/vec.h"

/* Symbols of a huge program take some ten megabytes; xz -9 needs 65 to read what it wrote. */
enum { MINI_MAX = 96 << 20, MEMORY_MAX = 80 << 20, FIRST = 1 << 20 };
/* Of code: programs have five, and each is looked for in the other file. */
enum { SECTIONS_MAX = 256 };

/* The next section after SCN with FLAGS; NULL: there is none. */
static Elf_Scn *next_section(Elf *elf, Elf_Scn *scn, uint64_t flags, GElf_Shdr *ret)
{
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, ret) && (ret->sh_flags & flags) == flags)
			return scn;
	return NULL;
}

bool minidebug_needless(const struct elf_image *image)
{
	GElf_Shdr shdr;

	for (Elf_Scn *scn = NULL; (scn = next_section(image->elf, scn, 0, &shdr));)
		if (shdr.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

static struct slice find_packed(const struct elf_image *image)
{
	size_t strings, size;
	GElf_Shdr shdr;
	const char *file = elf_rawfile(image->elf, &size);

	if (!file || elf_getshdrstrndx(image->elf, &strings))
		return (struct slice){};
	for (Elf_Scn *scn = NULL; (scn = next_section(image->elf, scn, 0, &shdr));) {
		const char *name = elf_strptr(image->elf, strings, shdr.sh_name);

		if (name && !strcmp(name, ".gnu_debugdata") && shdr.sh_type == SHT_PROGBITS &&
			shdr.sh_offset <= size && shdr.sh_size <= size - shdr.sh_offset)
			return (struct slice){(const uint8_t *)file + shdr.sh_offset, shdr.sh_size};
	}
	return (struct slice){};
}

struct bytes VEC(uint8_t);

/* All that PACKED holds; false: broken, or more than MINI_MAX. */
static bool unpack(lzma_stream *stream, struct slice packed, struct bytes *ret)
{
	lzma_ret status = LZMA_OK;

	stream->next_in = packed.data;
	stream->avail_in = packed.len;
	for (size_t size = FIRST; status == LZMA_OK && size <= MINI_MAX; size *= 2) {
		if (size > MINI_MAX / 2)
			size = MINI_MAX;
		vec_reserve(ret, size - ret->len);
		stream->next_out = ret->data + ret->len;
		stream->avail_out = size - ret->len;
		status = lzma_code(stream, LZMA_FINISH);
		ret->len = size - stream->avail_out;
		/* It requires more input than there is. */
		if (stream->avail_out)
			break;
	}
	return status == LZMA_STREAM_END && ret->len;
}

static struct elf_image *unpack_image(struct slice packed, const char *name)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct bytes bytes = {};
	struct elf_image *image = NULL;

	if (lzma_stream_decoder(&stream, MEMORY_MAX, 0) != LZMA_OK)
		return NULL;
	bool good = unpack(&stream, packed, &bytes);
	lzma_end(&stream);
	if (good)
		error_destroy(elf_image_from_memory(bytes.data, bytes.len, name, &image));
	else
		free(bytes.data);
	return image;
}

static bool has_code_section(const struct elf_image *image, const GElf_Shdr *wanted)
{
	GElf_Shdr shdr;

	for (Elf_Scn *scn = NULL;
		(scn = next_section(image->elf, scn, SHF_ALLOC | SHF_EXECINSTR, &shdr));)
		if (shdr.sh_addr == wanted->sh_addr && shdr.sh_size == wanted->sh_size)
			return true;
	return false;
}

/* The same build, as far as can be told: build IDs agree, and the code is where IMAGE's is. */
static bool is_of(const struct elf_image *mini, const struct elf_image *image)
{
	GElf_Shdr shdr;
	size_t n = 0;

	if (mini->build_id.len && image->build_id.len &&
		!build_id_equal(&mini->build_id, &image->build_id))
		return false;
	for (Elf_Scn *scn = NULL;
		(scn = next_section(mini->elf, scn, SHF_ALLOC | SHF_EXECINSTR, &shdr)); n++)
		if (n == SECTIONS_MAX || !has_code_section(image, &shdr))
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
