// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/unwind/cfi.h"

#include <dwarf.h>

#include "debug/files/sections.h"
#include "util/sort.h"
#include "util/vec.h"

/* Limit on the FDEs read in a section without search table. */
enum { FDES_MAX = 1 << 22 };

/* ---- records -------------------------------------------------------------------------------- */

/* Returns the size of a pointer in this encoding (DW_EH_PE_…), in bytes; 0 if it is unknown. */
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

/* Enters the record at OFFSET. CIE_RET gets the offset of its CIE, UINT64_MAX if it is one. */
static struct cursor enter_record(const struct cfi *cfi, uint64_t offset, uint64_t *cie_ret)
{
	struct cursor cursor = cursor_at(cfi->bytes, offset);
	uint8_t offset_size = cursor_enter_unit(&cursor);
	uint64_t at = (uint64_t)(cursor.at - cfi->bytes.data);
	uint64_t id = cursor_number(&cursor, offset_size);

	if (cfi->eh_frame) {
		if (offset_size != 4 || id > at)
			cursor_fail(&cursor);
		*cie_ret = id ? at - id : UINT64_MAX;
	} else {
		*cie_ret = id == (offset_size == 4 ? UINT32_MAX : UINT64_MAX) ? UINT64_MAX : id;
	}
	return cursor;
}

static bool read_cie(const struct cfi *cfi, uint64_t offset, struct cfi_cie *ret)
{
	uint64_t own;
	struct cursor cursor = enter_record(cfi, offset, &own);
	uint8_t version = cursor_u8(&cursor);
	const char *letters = cursor_string(&cursor);
	struct cfi_cie cie = {.encoding = DW_EH_PE_absptr};

	if (cursor.failed || own != UINT64_MAX || (version != 1 && version != 3 && version != 4))
		return false;
	/* sizes of addresses and of segment selectors */
	if (version == 4 && (cursor_u8(&cursor) != cfi->word || cursor_u8(&cursor)))
		return false;
	cie.code_factor = cursor_uleb(&cursor);
	cie.data_factor = cursor_sleb(&cursor);
	cie.return_register = version == 1 ? cursor_u8(&cursor) : cursor_uleb(&cursor);
	/* augmentation data, described by letters */
	cie.sized = *letters == 'z';
	if (!cie.sized && *letters)
		return false;
	uint64_t len = cie.sized ? cursor_uleb(&cursor) : 0;
	const uint8_t *data = cursor.at;
	for (const char *c = letters; *c; c++) {
		if (*c == 'R')
			cie.encoding = cursor_u8(&cursor);
		else if (*c == 'L')
			cursor_u8(&cursor);
		else if (*c == 'P')
			cursor_skip(&cursor, pointer_size(cursor_u8(&cursor), cfi->word));
		else if (*c == 'S')
			cie.signal_frame = true;
		else if (!strchr("zB", *c))
			return false;
	}
	size_t read = (size_t)(cursor.at - data);
	cursor_skip(&cursor, len > read ? len - read : 0);
	if (cursor.failed || len < read)
		return false;
	cie.program = cursor;
	*ret = cie;
	return true;
}

bool cfi_fde(const struct cfi *cfi, uint64_t offset, struct cfi_fde *ret)
{
	uint64_t cie;
	struct cursor cursor = enter_record(cfi, offset, &cie);
	struct cfi_fde fde = {.eh_frame = cfi->eh_frame, .big = cfi->bytes.big};

	if (cursor.failed || cie == UINT64_MAX || !read_cie(cfi, cie, &fde.cie))
		return false;
	const uint8_t encoding = fde.cie.encoding;
	const unsigned size = pointer_size(encoding, cfi->word);
	uint64_t at = cfi->address + (uint64_t)(cursor.at - cfi->bytes.data);
	fde.start = cursor_number(&cursor, size);
	if (!size || encoding & DW_EH_PE_indirect)
		return false;
	if (encoding & DW_EH_PE_signed && size < 8 && fde.start >> (8 * size - 1))
		fde.start -= 1ULL << (8 * size);
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		fde.start += at;
	else if ((encoding & 0x70) != DW_EH_PE_absptr)
		return false;
	if (cfi->word == 4)
		fde.start = (uint32_t)fde.start;
	fde.end = fde.start + cursor_number(&cursor, size);
	if (fde.cie.sized)
		cursor_skip(&cursor, cursor_uleb(&cursor));
	fde.program = cursor;
	if (cursor.failed || fde.end < fde.start)
		return false;
	*ret = fde;
	return true;
}

/* ---- the index ------------------------------------------------------------------------------ */

void cfi_index_fill(struct cfi_index *index, const struct cfi *cfi)
{
	struct cursor cursor = cursor_at(cfi->bytes, 0);

	/* a zero length ends .eh_frame */
	for (size_t i = 0; i < FDES_MAX && cursor_left(&cursor) > 4; i++) {
		uint64_t offset = (uint64_t)(cursor.at - cfi->bytes.data);
		struct cursor record = cursor;
		struct cfi_fde fde;

		cursor_enter_unit(&record);
		if (record.failed || record.at == record.end)
			break;
		cursor.at = record.end;
		/* functions that the linker dropped are at 0 */
		if (cfi_fde(cfi, offset, &fde) && fde.start && fde.end > fde.start)
			vec_push(index, (struct cfi_range){fde.start, fde.end, offset});
	}
	/* stable, so ties remain in the order of offsets */
	radix_sort(index->data, index->len, sizeof(*index->data));
}

bool cfi_index_find(const struct cfi_index *index, uint64_t address, uint64_t *ret)
{
	size_t n = sorted_count(index->data, index->len, .start <= address);

	if (!n || address >= index->data[n - 1].end)
		return false;
	*ret = index->data[n - 1].offset;
	return true;
}

/* ---- .eh_frame_hdr -------------------------------------------------------------------------- */

/* The encoding that linkers use: signed, 4 bytes, relative to .eh_frame_hdr. */
enum { TABLE_ENCODING = DW_EH_PE_datarel | DW_EH_PE_sdata4 };

/* The table of .eh_frame_hdr: pairs of 4-byte numbers (function, FDE), sorted by the first. */
struct search_table {
	struct slice rows;
	uint64_t n;
	uint64_t base; /* ELF address of .eh_frame_hdr, which the numbers are relative to */
};

/* Finds the table of a linked little-endian file. */
static bool find_table(const struct elf_image *image, struct search_table *ret)
{
	const GElf_Phdr *phdr = &image->eh_frame_hdr;
	const unsigned word = elf_image_word(image);

	if (elf_image_is_big(image) || elf_image_is_relocatable(image) ||
		phdr->p_type != PT_GNU_EH_FRAME)
		return false;
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
	struct search_table table = {{cursor.at, cursor_left(&cursor), false}, n, phdr->p_vaddr};
	if (table.n > table.rows.len / 8)
		table.n = table.rows.len / 8;
	*ret = table;
	return table.n;
}

static uint64_t table_number(const struct search_table *table, uint64_t index)
{
	int32_t number;

	memcpy(&number, table->rows.data + 4 * index, sizeof(number));
	return table->base + (uint64_t)(int64_t)number;
}

bool eh_frame_fde(const struct elf_image *image, uint64_t address, struct cfi_fde *ret)
{
	struct search_table table = {};

	if (!find_table(image, &table))
		return false;
	/* the last row that begins at or below ADDRESS */
	uint64_t n = partition_point(i, 0, table.n, table_number(&table, 2 * i) <= address);
	if (!n)
		return false;
	uint64_t start = table_number(&table, 2 * n - 2), at = table_number(&table, 2 * n - 1);
	uint64_t next = n < table.n ? table_number(&table, 2 * n) : UINT64_MAX;
	array_each(load, image->loads, image->n_loads) {
		struct slice bytes = image_segment(image, load);

		if (at < load->p_vaddr || at - load->p_vaddr >= bytes.len)
			continue;
		const struct cfi cfi = {bytes, load->p_vaddr, true, elf_image_word(image)};
		if (!cfi_fde(&cfi, at - load->p_vaddr, ret) || ret->start != start ||
			address >= ret->end)
			return false;
		ret->end = ret->end < next ? ret->end : next;
		return true;
	}
	return false;
}

bool eh_frame_has_table(const struct elf_image *image)
{
	return find_table(image, &(struct search_table){});
}
