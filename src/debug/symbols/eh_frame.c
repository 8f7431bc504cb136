// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/eh_frame.h"

#include <dwarf.h>
#include <string.h>

#include "debug/files/image_words.h"
#include "util/vec.h"

/* The encoding that linkers use: signed, 4 bytes, relative to .eh_frame_hdr. */
enum { TABLE_ENCODING = DW_EH_PE_datarel | DW_EH_PE_sdata4 };

/* The table of .eh_frame_hdr: pairs of 4-byte numbers (function, FDE), sorted by the first. */
struct search_table {
	struct slice rows;
	uint64_t n;
	uint64_t base; /* ELF address of .eh_frame_hdr, which the numbers are relative to */
};

static bool open_table(const struct elf_image *image, const GElf_Phdr *phdr, unsigned word,
	struct search_table *ret)
{
	struct slice bytes = image_bytes(image, phdr->p_vaddr);

	if (bytes.len > phdr->p_memsz)
		bytes.len = phdr->p_memsz;
	struct cursor cursor = cursor_at(bytes, 0);
	uint8_t version = cursor_u8(&cursor), frame_encoding = cursor_u8(&cursor);
	uint8_t count_encoding = cursor_u8(&cursor), encoding = cursor_u8(&cursor);
	unsigned count_size = cfi_pointer_size(count_encoding, word);
	cursor_skip(&cursor, cfi_pointer_size(frame_encoding, word));
	uint64_t n = cursor_number(&cursor, count_size);
	if (cursor.failed || version != 1 || !count_size || encoding != TABLE_ENCODING)
		return false;
	struct search_table table = {{cursor.at, cursor_left(&cursor)}, n, phdr->p_vaddr};
	if (table.n > table.rows.len / 8)
		table.n = table.rows.len / 8;
	*ret = table;
	return table.n;
}

/* Finds the table of a linked little-endian file. */
static bool find_table(const struct elf_image *image, struct search_table *ret)
{
	return image->ehdr.e_ident[EI_DATA] == ELFDATA2LSB && image->ehdr.e_type != ET_REL &&
	       image->eh_frame_hdr.p_type == PT_GNU_EH_FRAME &&
	       open_table(image, &image->eh_frame_hdr, elf_image_word(image), ret);
}

static uint64_t table_number(const struct search_table *table, uint64_t index)
{
	int32_t number;

	memcpy(&number, table->rows.data + 4 * index, sizeof(number));
	return table->base + (uint64_t)(int64_t)number;
}

/* Finds the last row that begins at or below ADDRESS. */
static bool search(const struct search_table *table, uint64_t address, uint64_t *row_ret)
{
	size_t n = partition_point(i, 0, table->n, table_number(table, 2 * i) <= address);

	*row_ret = n - 1;
	return n;
}

/* Finds the segment that contains ADDRESS. */
static bool open_segment(const struct elf_image *image, uint64_t address, struct cfi *ret)
{
	for (size_t i = 0; i < image->n_loads; i++) {
		const GElf_Phdr *load = &image->loads[i];
		struct slice bytes = image_segment(image, load);

		if (address < load->p_vaddr || address - load->p_vaddr >= bytes.len)
			continue;
		*ret = (struct cfi){bytes, load->p_vaddr, true, elf_image_word(image), false};
		return true;
	}
	return false;
}

bool eh_frame_fde(const struct elf_image *image, uint64_t address, struct cfi *cfi_ret,
	struct cfi_fde *fde_ret)
{
	struct search_table table = {};
	uint64_t row;

	if (!find_table(image, &table) || !search(&table, address, &row))
		return false;
	uint64_t at = table_number(&table, 2 * row + 1);
	return open_segment(image, at, cfi_ret) &&
	       cfi_fde(cfi_ret, at - cfi_ret->address, fde_ret) &&
	       fde_ret->start == table_number(&table, 2 * row) && address >= fde_ret->start &&
	       address < fde_ret->end;
}

bool eh_frame_has_table(const struct elf_image *image)
{
	struct search_table table = {};

	return find_table(image, &table);
}

bool eh_frame_find(const struct elf_image *image, uint64_t address, uint64_t *ret)
{
	struct cfi_fde fde;
	struct cfi cfi;

	if (!eh_frame_fde(image, address, &cfi, &fde))
		return false;
	*ret = fde.start;
	return true;
}
