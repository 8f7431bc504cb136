// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/go/gopclntab.h"

#include "debug/dwarf/cursor.h"
#include "object/elf_section.h"
#include "util/vec.h"

/* more functions and text sections than any program has */
enum { FUNCTIONS_MAX = 1 << 26, TEXT_MAX = 1 << 16 };
/* Indices of words in runtime.moduledata, since Go 1.18. */
enum {
	MODULE_NAMES = 1,
	MODULE_TEXT = 22,
	MODULE_GOFUNC_1_18 = 38,
	MODULE_GOFUNC_1_20 = 40, /* after covctrs and ecovctrs */
	MODULE_GOFUNC_LAST = 56, /* higher than in any version */
};

static struct slice part(struct slice table, uint64_t offset)
{
	if (offset >= table.len)
		return (struct slice){};
	return (struct slice){table.data + offset, table.len - offset, false};
}

/* Sets the five parts from OFFSETS, in bytes from the header, in their order since Go 1.16. */
static void read_parts(struct go_layout *layout, const uint64_t *offsets)
{
	struct slice table = layout->table;

	layout->names = part(table, offsets[0]);
	layout->units = part(table, offsets[1]);
	layout->files = part(table, offsets[2]);
	layout->programs = part(table, offsets[3]);
	layout->functions = part(table, offsets[4]);
	layout->functions_at = offsets[4];
}

static bool read_header(struct go_layout *layout, const struct image_words *words)
{
	struct cursor cursor = cursor_at(layout->table, 8);
	uint64_t header[8] = {};

	for (size_t i = 0; i < 8; i++)
		header[i] = cursor_number(&cursor, layout->word);
	layout->n_functions = header[0];
	if (cursor.failed || !layout->n_functions || layout->n_functions > FUNCTIONS_MAX)
		return false;
	layout->field = layout->version >= GO_1_18 ? 4 : layout->word;
	if (layout->version >= GO_1_18) {
		layout->text = header[2];
		/* use the relocated word, if it has a relocation */
		image_word_at(words, layout->address + 8 + 2 * layout->word, &layout->text);
		read_parts(layout, header + 3);
	} else if (layout->version == GO_1_16) {
		read_parts(layout, header + 2);
	} else {
		/* all offsets count from the header; the files follow the function table */
		struct slice table = layout->table;
		layout->first = 8 + layout->word;
		cursor = cursor_at(
			table, layout->first + (2 * layout->n_functions + 1) * layout->word);
		layout->names = layout->programs = layout->functions = table;
		layout->files = part(table, cursor_u32(&cursor));
	}
	return layout->names.len && layout->files.len && layout->programs.len &&
	       layout->functions.len;
}

/* A header is: magic number, two zeros, unit of addresses, size of pointers. */
static bool try_at(const struct image_words *words, uint64_t address, struct slice bytes,
	struct go_layout *ret)
{
	static const uint32_t magics[] = {[GO_1_2] = 0xfffffffb,
		[GO_1_16] = 0xfffffffa,
		[GO_1_18] = 0xfffffff0,
		[GO_1_20] = 0xfffffff1};
	struct go_layout layout = {.address = address, .table = bytes, .word = words->size};
	const uint8_t *p = bytes.data;
	uint32_t magic;
	size_t version = 0;

	if (bytes.len < 8)
		return false;
	memcpy(&magic, p, sizeof(magic));
	while (version < array_len(magics) && magics[version] != magic)
		version++;
	if (version == array_len(magics) || p[4] || p[5] || (p[6] != 1 && p[6] != 2 && p[6] != 4) ||
		p[7] != words->size)
		return false;
	layout.version = (enum go_version)version;
	layout.quantum = p[6];
	if (!read_header(&layout, words))
		return false;
	*ret = layout;
	return true;
}

/* Returns true if IMAGE has a note named "Go": every Go program has one, with its build ID. */
static bool has_go_note(const struct elf_image *image)
{
	static const char name[] = "Go\0\0";
	GElf_Phdr phdr;

	for (size_t next = 0; elf_segment_next(image->elf, PT_NOTE, &next, &phdr);) {
		struct slice note = image_segment(image, &phdr);
		if (note.len && memmem(note.data, note.len, name, 4))
			return true;
	}
	return false;
}

/*
 * Searches the segments for the header. Needed if the linker put the table into a larger section,
 * or if section headers were stripped.
 */
static bool find_by_magic(const struct image_words *words, struct go_layout *ret)
{
	const struct elf_image *image = words->image;

	array_each(load, image->loads, image->n_loads) {
		struct slice bytes = image_segment(image, load);

		if (load->p_flags & PF_X)
			continue;
		for (size_t at = -load->p_vaddr % words->size; at + 8 <= bytes.len;
			at += words->size)
			if (bytes.data[at + 3] == 0xff && bytes.data[at + 7] == words->size &&
				try_at(words, load->p_vaddr + at, part(bytes, at), ret))
				return true;
	}
	return false;
}

/* Returns true if runtime.moduledata is at ADDRESS, by two of its words that are known. */
static bool is_module(
	const struct image_words *words, const struct go_layout *layout, uint64_t address)
{
	uint64_t names, header;

	return image_word_at(words, address, &header) && header == layout->address &&
	       image_word_at(words, address + MODULE_NAMES * words->size, &names) &&
	       names == layout->address + (uint64_t)(layout->names.data - layout->table.data);
}

/*
 * Returns the address of runtime.moduledata, 0 if not found. Looks for pointers to the table among
 * relocated words, then in writable segments.
 */
static uint64_t find_module(const struct image_words *words, const struct go_layout *layout)
{
	const struct elf_image *image = words->image;

	vec_each(word, words)
		if (word->value == layout->address && is_module(words, layout, word->address))
			return word->address;
	array_each(load, image->loads, image->n_loads) {
		struct slice bytes = image_segment(image, load);

		for (size_t at = -load->p_vaddr % words->size;
			load->p_flags & PF_W && at + words->size <= bytes.len; at += words->size)
			if (!memcmp(bytes.data + at, &layout->address, words->size) &&
				is_module(words, layout, load->p_vaddr + at))
				return load->p_vaddr + at;
	}
	return 0;
}

/*
 * Finds the funcdata in the table. Since Go 1.26 they are its last part, and two adjacent words of
 * the module are its bounds. Their index varies: 40 in Go 1.26, 43 in Go 1.27. Returns the index of
 * the word after them, 0 if not found.
 */
static unsigned find_last_part(
	const struct image_words *words, const struct go_layout *layout, uint64_t module)
{
	uint64_t least = layout->address + layout->functions_at;
	uint64_t most = layout->address + layout->table.len, start, end;

	for (unsigned i = MODULE_GOFUNC_1_20; i < MODULE_GOFUNC_LAST; i++) {
		uint64_t at = module + i * words->size;

		if (image_word_at(words, at, &start) &&
			image_word_at(words, at + words->size, &end) && start > least &&
			start < end && end <= most)
			return i + 2;
	}
	return 0;
}

/*
 * Returns true if the text sections in the list at WORD of the module (runtime.textsect: begin,
 * end, address) are contiguous, so that functions' offsets count from the start of the text. On
 * some machines external linkers split large programs into several pieces.
 */
static bool is_one_piece(const struct image_words *words, const struct go_layout *layout,
	uint64_t module, unsigned word)
{
	uint64_t at = module + word * words->size, list, n, begin, address;

	if (!image_word_at(words, at, &list) || !image_word_at(words, at + words->size, &n) ||
		n > TEXT_MAX)
		return false;
	for (uint64_t i = 0; i < n; i++, list += 3 * words->size)
		if (!image_word_at(words, list, &begin) ||
			!image_word_at(words, list + 2 * words->size, &address) ||
			address != layout->text + begin)
			return false;
	return true;
}

/* Completes LAYOUT with the bases in the module. Returns false if the text is in several pieces. */
static bool read_module(const struct image_words *words, uint64_t module, struct go_layout *layout)
{
	bool in_table = !layout->text; /* Go 1.26 removed it from the header */
	unsigned behind =
		(layout->version >= GO_1_20 ? MODULE_GOFUNC_1_20 : MODULE_GOFUNC_1_18) + 1;

	image_word_at(words, module + MODULE_TEXT * words->size, &layout->text);
	if (in_table)
		behind = find_last_part(words, layout, module);
	if (!behind)
		return true;
	image_word_at(words, module + (behind - (in_table ? 2 : 1)) * words->size, &layout->gofunc);
	return is_one_piece(words, layout, module, behind);
}

bool go_layout_find(const struct image_words *words, struct go_layout *ret)
{
	const struct elf_image *image = words->image;
	struct go_layout layout;
	uint64_t address;

	bool has_section = elf_image_section(image, ".gopclntab", &address) ||
			   elf_image_section(image, ".data.rel.ro.gopclntab", &address);
	if (!(has_section && try_at(words, address, image_bytes(image, address), &layout)) &&
		!(has_go_note(image) && find_by_magic(words, &layout)))
		return false;
	if (layout.version >= GO_1_18) {
		uint64_t module = find_module(words, &layout);

		if ((module && !read_module(words, module, &layout)) || !layout.text)
			return false;
	}
	*ret = layout;
	return true;
}
