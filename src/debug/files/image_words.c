// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/files/image_words.h"

#include <stdlib.h>

#include "arch/arch.h"
#include "debug/dwarf/cursor.h"
#include "object/elf_section.h"
#include "util/order.h"
#include "util/vec.h"

/* Limits above what any program has, for relocations and entries of .dynamic. */
enum { RELOCATIONS_MAX = 1 << 24, DYNAMIC_MAX = 4096 };

struct slice image_segment(const struct elf_image *image, const GElf_Phdr *load)
{
	const uint8_t *bytes = elf_image_raw(image, load->p_offset, load->p_filesz);

	return (struct slice){bytes, bytes ? load->p_filesz : 0};
}

struct slice image_section(const struct elf_image *image, const GElf_Shdr *shdr)
{
	const GElf_Phdr bytes = {.p_offset = shdr->sh_offset, .p_filesz = shdr->sh_size};

	return shdr->sh_type == SHT_NOBITS ? (struct slice){} : image_segment(image, &bytes);
}

struct slice image_bytes(const struct elf_image *image, uint64_t address)
{
	for (size_t i = 0; i < image->n_loads; i++) {
		const GElf_Phdr *load = &image->loads[i];
		struct slice bytes = image_segment(image, load);

		if (address >= load->p_vaddr && address - load->p_vaddr < bytes.len)
			return (struct slice){bytes.data + (address - load->p_vaddr),
				bytes.len - (address - load->p_vaddr)};
	}
	return (struct slice){};
}

COMPARE(compare_words, struct image_word, order_of(a->address, b->address))

/* Reads Elf64_Rela entries. Relocations of other kinds keep their values in place. */
static void read_relocations(struct image_words *words, uint64_t address, uint64_t len)
{
	const struct arch *arch = arch_of(words->image->ehdr.e_machine);
	struct cursor cursor = cursor_at(image_bytes(words->image, address), 0);

	for (uint64_t i = 0; i < len / sizeof(Elf64_Rela) && i < RELOCATIONS_MAX; i++) {
		struct image_word word = {.address = cursor_u64(&cursor)};
		uint64_t info = cursor_u64(&cursor);

		word.value = cursor_u64(&cursor);
		if (cursor.failed)
			break;
		if (arch->relative && ELF64_R_TYPE(info) == arch->relative)
			vec_push(words, word);
	}
	vec_sort(words, compare_words);
}

static void read_dynamic(struct image_words *words, uint64_t address)
{
	struct cursor cursor = cursor_at(image_bytes(words->image, address), 0);
	uint64_t table = 0, len = 0;

	for (size_t i = 0; i < DYNAMIC_MAX && !cursor.failed; i++) {
		uint64_t tag = cursor_u64(&cursor), value = cursor_u64(&cursor);

		if (tag == DT_NULL)
			break;
		if (tag == DT_RELA)
			table = value;
		if (tag == DT_RELASZ)
			len = value;
	}
	if (table && len)
		read_relocations(words, table, len);
}

void image_words_init(struct image_words *words, const struct elf_image *image)
{
	GElf_Phdr dynamic;
	size_t next = 0;

	*words = (struct image_words){.image = image, .size = elf_image_word(image)};
	if (words->size == 8 && image->ehdr.e_type == ET_DYN &&
		elf_segment_next(image->elf, PT_DYNAMIC, &next, &dynamic))
		read_dynamic(words, dynamic.p_vaddr);
}

void image_words_deinit(struct image_words *words)
{
	vec_deinit(words);
}

bool image_word_at(const struct image_words *words, uint64_t address, uint64_t *ret)
{
	struct image_word key = {.address = address};
	const struct image_word *found =
		words->len ? bsearch(&key, words->data, words->len, sizeof(key), compare_words)
			   : NULL;

	if (found) {
		*ret = found->value;
		return true;
	}
	struct cursor cursor = cursor_at(image_bytes(words->image, address), 0);
	uint64_t value = cursor_number(&cursor, words->size);
	if (!cursor.failed)
		*ret = value;
	return !cursor.failed;
}
