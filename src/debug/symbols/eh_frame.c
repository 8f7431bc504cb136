// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/eh_frame.h"

#include <dwarf.h>
#include <string.h>

#include "debug/dwarf/cursor.h"
#include "debug/files/image_words.h"
#include "util/vec.h"

/* The encoding of linkers' tables: signed 4 bytes from the start of .eh_frame_hdr. */
enum { TABLE_ENCODING = DW_EH_PE_datarel | DW_EH_PE_sdata4 };

/* The table of .eh_frame_hdr: pairs of 4-byte numbers, sorted by the first. */
struct search_table {
	struct slice rows;
	uint64_t n;
	uint64_t base; /* the address of .eh_frame_hdr, which the numbers count from */
};

/* Bytes of a pointer in this encoding, 0: a kind that no linker writes. */
static unsigned pointer_size(uint8_t encoding, unsigned word)
{
	switch (encoding & 0xf) {
	case DW_EH_PE_absptr:
		return word;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		return 2;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	}
	return 0;
}

/* A number of so many bytes, as the encoding has its sign. */
static uint64_t read_number(struct cursor *cursor, uint8_t encoding, unsigned size)
{
	uint64_t number = cursor_number(cursor, size);

	if (encoding & DW_EH_PE_signed && size && size < 8 && number >> (8 * size - 1))
		number -= 1ULL << (8 * size);
	return number;
}

static bool open_table(const struct elf_image *image, const GElf_Phdr *phdr, unsigned word,
	struct search_table *ret)
{
	struct slice bytes = image_bytes(image, phdr->p_vaddr);

	if (bytes.len > phdr->p_memsz)
		bytes.len = phdr->p_memsz;
	struct cursor cursor = cursor_at(bytes, 0);
	uint8_t version = cursor_u8(&cursor), frame_encoding = cursor_u8(&cursor);
	uint8_t count_encoding = cursor_u8(&cursor), encoding = cursor_u8(&cursor);
	unsigned count_size = pointer_size(count_encoding, word);
	cursor_skip(&cursor, pointer_size(frame_encoding, word));
	uint64_t n = cursor_number(&cursor, count_size);
	if (cursor.failed || version != 1 || !count_size || encoding != TABLE_ENCODING)
		return false;
	struct search_table table = {{cursor.at, cursor_left(&cursor)}, n, phdr->p_vaddr};
	if (table.n > table.rows.len / 8)
		table.n = table.rows.len / 8;
	*ret = table;
	return table.n;
}

static bool find_table(const struct elf_image *image, unsigned word, struct search_table *ret)
{
	size_t n;

	if (elf_getphdrnum(image->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr phdr;

		if (gelf_getphdr(image->elf, (int)i, &phdr) && phdr.p_type == PT_GNU_EH_FRAME)
			return open_table(image, &phdr, word, ret);
	}
	return false;
}

static uint64_t table_number(const struct search_table *table, uint64_t index)
{
	int32_t number;

	memcpy(&number, table->rows.data + 4 * index, sizeof(number));
	return table->base + (uint64_t)(int64_t)number;
}

/* The last row that begins at or below ADDRESS. */
static bool search(const struct search_table *table, uint64_t address, uint64_t *row_ret)
{
	size_t n = partition_point(i, 0, table->n, table_number(table, 2 * i) <= address);

	*row_ret = n - 1;
	return n;
}

/* The length that records begin with, of which the cursor keeps so much. */
static bool enter_record(struct cursor *cursor)
{
	uint8_t offset_size;

	cursor_enter_unit(cursor, &offset_size);
	return !cursor->failed && offset_size == 4 && cursor_left(cursor) >= 4;
}

/* The encoding of code addresses in the FDEs of the CIE at ADDRESS. */
static bool read_cie(
	const struct elf_image *image, uint64_t address, unsigned word, uint8_t *encoding_ret)
{
	struct cursor cursor = cursor_at(image_bytes(image, address), 0);

	*encoding_ret = DW_EH_PE_absptr;
	if (!enter_record(&cursor) || cursor_u32(&cursor))
		return false;
	uint8_t version = cursor_u8(&cursor);
	const char *augmentation = cursor_string(&cursor);
	if (cursor.failed || (version != 1 && version != 3))
		return false;
	cursor_uleb(&cursor);
	cursor_sleb(&cursor);
	cursor_uleb(&cursor); /* the return address column: one byte in version 1, below 128 */
	if (*augmentation == 'z')
		cursor_uleb(&cursor);
	else if (*augmentation)
		return false;
	for (const char *c = augmentation; *c; c++) {
		if (*c == 'R')
			*encoding_ret = cursor_u8(&cursor);
		else if (*c == 'L')
			cursor_u8(&cursor);
		else if (*c == 'P')
			cursor_skip(&cursor, pointer_size(cursor_u8(&cursor), word));
		else if (!strchr("zSB", *c))
			return false;
	}
	return !cursor.failed;
}

/* The code [START, END) of the FDE at ADDRESS. */
static bool read_fde(const struct elf_image *image, uint64_t address, unsigned word,
	uint64_t *start_ret, uint64_t *end_ret)
{
	struct cursor cursor = cursor_at(image_bytes(image, address), 0);
	const uint8_t *bytes = cursor.at;
	uint8_t encoding;

	if (!enter_record(&cursor))
		return false;
	uint64_t at = address + (uint64_t)(cursor.at - bytes);
	uint32_t back = cursor_u32(&cursor);
	if (!back || !read_cie(image, at - back, word, &encoding))
		return false;
	unsigned size = pointer_size(encoding, word);
	uint64_t start = read_number(&cursor, encoding, size);
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		start += at + 4;
	else if ((encoding & 0x70) != DW_EH_PE_absptr)
		return false;
	uint64_t len = cursor_number(&cursor, size);
	if (!size || cursor.failed || start + len < start || encoding & DW_EH_PE_indirect)
		return false;
	*start_ret = word == 4 ? (uint32_t)start : start;
	*end_ret = *start_ret + len;
	return true;
}

bool eh_frame_find(const struct elf_image *image, uint64_t address, uint64_t *ret)
{
	unsigned word = image->ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	struct search_table table;
	uint64_t row, start, end;

	if (image->ehdr.e_ident[EI_DATA] != ELFDATA2LSB || image->ehdr.e_type == ET_REL ||
		!find_table(image, word, &table) || !search(&table, address, &row))
		return false;
	if (!read_fde(image, table_number(&table, 2 * row + 1), word, &start, &end) ||
		start != table_number(&table, 2 * row) || address < start || address >= end)
		return false;
	*ret = start;
	return true;
}
