// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/elf_notes.h"

#include <string.h>

#include "object/byte_order.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/xalloc.h"
#include "object/elf_section.h"

enum { NOTES_MAX = 64 << 10, PLACES_MAX = 64 };

/* The state of the search for a build ID. */
struct notes {
	Elf *elf;
	int fd;
	bool big;	/* byte order of the file */
	unsigned left;	/* number of segments and sections that may still be read */
	uint8_t *bytes; /* buffer of NOTES_MAX bytes */
	struct build_id found;
};

static uint32_t word(const struct notes *notes, const uint8_t *p)
{
	return (uint32_t)byte_order_read(p, sizeof(uint32_t), notes->big);
}

static size_t read_bytes(const struct notes *notes, uint64_t offset, size_t len)
{
	size_t size;

	if (notes->fd >= 0)
		return file_read_at(notes->fd, notes->bytes, len, offset);
	const char *file = elf_rawfile(notes->elf, &size);
	if (!file || offset >= size)
		return 0;
	if (len > size - offset)
		len = size - offset;
	memcpy(notes->bytes, file + offset, len);
	return len;
}

/*
 * Finds the build ID in LEN bytes of notes. A note is three 32-bit words (length of the name,
 * length of the content, type), the name and the content, both padded to ALIGN bytes (gABI, "Note
 * Section"; 8 for .note.gnu.property).
 */
static bool find_id(struct notes *notes, size_t len, size_t align)
{
	const size_t header = 3 * sizeof(uint32_t);

	for (size_t at = 0; at <= len && len - at >= header;) {
		const uint8_t *p = notes->bytes + at;
		size_t name_len = word(notes, p), size = word(notes, p + 4);

		if (name_len > len || size > len)
			return false;
		size_t content = (header + name_len + align - 1) & -align;
		if (content > len - at || size > len - at - content)
			return false;
		if (word(notes, p + 8) == NT_GNU_BUILD_ID && name_len == sizeof("GNU") &&
			!memcmp(p + header, "GNU", sizeof("GNU")) && size) {
			notes->found = build_id_make(p + content, size);
			return true;
		}
		at += (content + size + align - 1) & -align;
	}
	return false;
}

/* Reads the notes at OFFSET. Returns true if the search is over. */
static bool look_at(struct notes *notes, uint64_t offset, uint64_t size, uint64_t align)
{
	size_t wanted = size < NOTES_MAX ? (size_t)size : NOTES_MAX;

	if (!notes->left)
		return true;
	notes->left--;
	return find_id(notes, read_bytes(notes, offset, wanted), align == 8 ? 8 : 4);
}

static void look_at_segments(struct notes *notes)
{
	GElf_Phdr note;

	for (size_t next = 0; elf_segment_next(notes->elf, PT_NOTE, &next, &note);)
		if (look_at(notes, note.p_offset, note.p_filesz, note.p_align))
			return;
}

static void look_at_sections(struct notes *notes)
{
	for (struct elf_section note = {}; elf_section_next_of(notes->elf, SHT_NOTE, &note);)
		if (look_at(notes, note.header.sh_offset, note.header.sh_size,
			    note.header.sh_addralign))
			return;
}

struct build_id elf_notes_build_id(Elf *elf, int fd)
{
	auto_free uint8_t *bytes = xmalloc(NOTES_MAX);
	const char *ident = elf_getident(elf, NULL);
	struct notes notes = {.elf = elf,
		.fd = fd,
		.big = ident && ident[EI_DATA] == ELFDATA2MSB,
		.left = PLACES_MAX,
		.bytes = bytes};

	look_at_segments(&notes);
	/* Go's linker puts the build ID in no segment. */
	if (!notes.found.len)
		look_at_sections(&notes);
	return notes.found;
}
