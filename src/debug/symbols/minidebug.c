// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/minidebug.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "debug/files/image_words.h"
#include "util/cleanup.h"
#include "util/vec.h"
#include "object/elf_section.h"

/* Symbols of a huge program take some ten megabytes; xz -9 needs 65 to read what it wrote. */
enum { MINI_MAX = 96 << 20, MEMORY_MAX = 80 << 20, FIRST = 1 << 20 };
/* Of code: programs have five, and each is looked for in the other file. */
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
	for (struct elf_section section = {}; elf_section_next_code(image->elf, &section);)
		if (section.header.sh_addr == wanted->sh_addr &&
			section.header.sh_size == wanted->sh_size)
			return true;
	return false;
}

/* The same build, as far as can be told: build IDs agree, and the code is where IMAGE's is. */
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
