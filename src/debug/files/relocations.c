// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/files/sections.h"

#include <string.h>

#include "arch/arch.h"
#include "debug/dwarf/cursor.h"
#include "util/number.h"
#include "object/elf_section.h"
#include "util/cleanup.h"
#include "util/sort.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* ---- linked files --------------------------------------------------------------------------- */

/* Limits above what any program has, for relocations and entries of .dynamic. */
enum { RELOCATIONS_MAX = 1 << 24, DYNAMIC_MAX = 4096 };

struct slice image_segment(const struct elf_image *image, const GElf_Phdr *load)
{
	const uint8_t *bytes = elf_image_raw(image, load->p_offset, load->p_filesz);

	return (struct slice){bytes, bytes ? load->p_filesz : 0, elf_image_is_big(image)};
}

struct slice image_section(const struct elf_image *image, const GElf_Shdr *shdr)
{
	const GElf_Phdr bytes = {.p_offset = shdr->sh_offset, .p_filesz = shdr->sh_size};

	return shdr->sh_type == SHT_NOBITS ? (struct slice){} : image_segment(image, &bytes);
}

struct slice image_bytes(const struct elf_image *image, uint64_t address)
{
	array_each(load, image->loads, image->n_loads) {
		struct slice bytes = image_segment(image, load);

		if (address >= load->p_vaddr && address - load->p_vaddr < bytes.len)
			return (struct slice){bytes.data + (address - load->p_vaddr),
				bytes.len - (address - load->p_vaddr), bytes.big};
	}
	return (struct slice){};
}

void image_words_init(struct image_words *words, const struct elf_image *image)
{
	uint64_t table = 0, len = 0;
	GElf_Phdr dynamic;
	size_t next = 0;

	*words = (struct image_words){.image = image, .size = elf_image_word(image)};
	if (words->size != 8 || image->ehdr.e_type != ET_DYN ||
		!elf_segment_next(image->elf, PT_DYNAMIC, &next, &dynamic))
		return;
	struct cursor cursor = cursor_at(image_bytes(image, dynamic.p_vaddr), 0);
	for (size_t i = 0; i < DYNAMIC_MAX && !cursor.failed; i++) {
		uint64_t tag = cursor_u64(&cursor), value = cursor_u64(&cursor);

		if (tag == DT_NULL)
			break;
		if (tag == DT_RELA)
			table = value;
		if (tag == DT_RELASZ)
			len = value;
	}
	if (!table || !len)
		return;
	/* Elf64_Rela entries; relocations of other kinds keep their values in place */
	const uint32_t relative = arch_of(image->ehdr.e_machine)->relative;
	cursor = cursor_at(image_bytes(image, table), 0);
	for (uint64_t i = 0; i < len / sizeof(Elf64_Rela) && i < RELOCATIONS_MAX; i++) {
		struct image_word word = {.address = cursor_u64(&cursor)};
		uint64_t info = cursor_u64(&cursor);

		word.value = cursor_u64(&cursor);
		if (cursor.failed)
			break;
		if (relative && ELF64_R_TYPE(info) == relative)
			vec_push(words, word);
	}
	radix_sort(words->data, words->len, sizeof(*words->data));
}

bool image_word_at(const struct image_words *words, uint64_t address, uint64_t *ret)
{
	size_t at = sorted_count(words->data, words->len, .address < address);

	if (at < words->len && words->data[at].address == address) {
		*ret = words->data[at].value;
		return true;
	}
	struct cursor cursor = cursor_at(image_bytes(words->image, address), 0);
	uint64_t value = cursor_number(&cursor, words->size);
	if (!cursor.failed)
		*ret = value;
	return !cursor.failed;
}

/* ---- relocatable files ---------------------------------------------------------------------- */

/* A table of relocations and its symbols. */
struct table_of {
	const struct elf_image *image;
	const struct arch *arch;
	Elf_Data *symbols;
	Elf_Data *indices; /* of symbols whose section index needs over 16 bits; or NULL */
	bool rela;	   /* the addend is in the relocation, not in the section's bytes */
	bool big_endian;
};

static bool apply(const struct table_of *table, const GElf_Rela *rela, uint8_t *bytes, size_t len)
{
	const struct arch_relocation *known = table->arch->relocations;

	while (known && known->effect && known->type != GELF_R_TYPE(rela->r_info))
		known++;
	enum relocation_effect effect = known ? known->effect : RELOCATION_UNKNOWN;
	unsigned size =
		effect == RELOCATION_ABSOLUTE_32 || effect == RELOCATION_RELATIVE_32 ? 4 : 8;
	Elf32_Word extended = 0;
	GElf_Sym sym;

	if (effect == RELOCATION_NONE)
		return true;
	if (effect == RELOCATION_UNKNOWN || rela->r_offset > len || size > len - rela->r_offset ||
		!gelf_getsymshndx(table->symbols, table->indices, (int)GELF_R_SYM(rela->r_info),
			&sym, &extended))
		return false;
	bytes += rela->r_offset;
	uint64_t value = table->rela ? (uint64_t)rela->r_addend
				     : byte_order_read(bytes, size, table->big_endian);
	value += sym.st_value;
	if (sym.st_shndx == SHN_XINDEX)
		value += elf_image_base(table->image, extended);
	else if (sym.st_shndx < SHN_LORESERVE)
		value += elf_image_base(table->image, sym.st_shndx);
	if (effect == RELOCATION_RELATIVE_32 || effect == RELOCATION_RELATIVE_64)
		value -= rela->r_offset;
	for (unsigned i = 0; i < size; i++)
		bytes[table->big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
	return true;
}

/*
 * Limit on relocation tables of one section, because each takes a pass over all sections. Linkers
 * write one.
 */
enum { TABLES_MAX = 16 };

/* LEFT: relocations that may still be read, limited because many headers can name one table. */
static bool apply_table(const struct elf_image *image, Elf_Scn *scn, const GElf_Shdr *shdr,
	uint64_t *left, uint8_t *bytes, size_t len)
{
	Elf_Data *relocations = elf_section_data(scn);
	struct table_of table = {
		.image = image,
		.arch = arch_of(image->ehdr.e_machine),
		.symbols = elf_section_data(elf_getscn(image->elf, shdr->sh_link)),
		.indices = elf_section_indices(image->elf, shdr->sh_link),
		.rela = shdr->sh_type == SHT_RELA,
		.big_endian = elf_image_is_big(image),
	};
	size_t n = shdr->sh_entsize ? shdr->sh_size / shdr->sh_entsize : 0;

	if (!relocations || !table.symbols || n > *left)
		return false;
	*left -= n;
	for (size_t i = 0; i < n; i++) {
		GElf_Rela rela = {};
		GElf_Rel rel;

		if (table.rela) {
			if (!gelf_getrela(relocations, (int)i, &rela))
				return false;
		} else {
			if (!gelf_getrel(relocations, (int)i, &rel))
				return false;
			rela = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
		}
		if (!apply(&table, &rela, bytes, len))
			return false;
	}
	return true;
}

bool relocate_section(const struct elf_image *image, size_t index, uint8_t *bytes, size_t len)
{
	size_t file_size = 0;

	(void)elf_rawfile(image->elf, &file_size);
	uint64_t left = file_size / sizeof(Elf32_Rel);
	unsigned tables = 0;
	for (struct elf_section section = {}; elf_section_next(image->elf, &section);) {
		const GElf_Shdr *shdr = &section.header;

		if (shdr->sh_info == index &&
			(shdr->sh_type == SHT_RELA || shdr->sh_type == SHT_REL) &&
			(tables++ == TABLES_MAX ||
				!apply_table(image, section.scn, shdr, &left, bytes, len)))
			return false;
	}
	return true;
}

uint8_t *relocate_copy(const struct elf_image *image, size_t index, const void *bytes, size_t len)
{
	auto_free uint8_t *copy = xmalloc(len);

	memcpy(copy, bytes, len);
	return relocate_section(image, index, copy, len) ? take(copy) : NULL;
}
