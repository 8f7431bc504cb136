// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/elf_image.h"

#include <elf.h>
#include <errno.h>
#include <unistd.h>

#include "util/number.h"

/* maximum bytes of holes in a file: linkers and `cp --sparse` leave some */
#define HOLES_MAX ((uint64_t)256 << 20)
/*
 * maximum for ET_REL: object files, and packages of split units, which can be larger than 4 GiB. No
 * process maps them, and only the sections named by their index are read.
 */
#define HOLES_MAX_RELOCATABLE ((uint64_t)16 << 30)

/* Object files with a section per function have some 100,000. libelf uses 240 bytes for each. */
enum { SECTIONS_MAX = 1 << 18 };
/* maximum number of data ranges that are examined; bytes in a unit of st_blocks */
enum { PIECES_MAX = 1 << 12, BLOCK = 512 };

/* Returns the bytes of FD that are in holes, or a number above MAX if there are more than MAX. */
static uint64_t count_holes(int fd, const struct stat *st, uint64_t max)
{
	const uint64_t size = (uint64_t)st->st_size;
	uint64_t holes = 0;
	off_t at = 0;

	/* Preallocated blocks can be as empty as holes, so always search large files. */
	if ((uint64_t)st->st_blocks * BLOCK >= size && size <= max)
		return 0;
	for (int i = 0; i < PIECES_MAX && (uint64_t)at < size && holes <= max; i++) {
		off_t data = lseek(fd, at, SEEK_DATA);

		if (data < 0)
			return errno == ENXIO ? holes + size - (uint64_t)at : holes;
		holes += (uint64_t)(data - at);
		at = lseek(fd, data, SEEK_HOLE);
		if (at < 0)
			return holes;
	}
	/* No real program has so many ranges: count the rest of the file as holes. */
	return (uint64_t)at < size ? holes + size - (uint64_t)at : holes;
}

/* The checked fields of an ELF header, for both classes and byte orders. */
struct checked_header {
	bool is_64, big;
	uint64_t sections, n, names; /* e_shoff, e_shnum, e_shstrndx */
};

#define HEADER_FIELD(header, bytes, type, field)                                                   \
	((header)->is_64 ? byte_order_read((bytes) + offsetof(Elf64_##type, field),                \
				   sizeof(((Elf64_##type *)0)->field), (header)->big)              \
			 : byte_order_read((bytes) + offsetof(Elf32_##type, field),                \
				   sizeof(((Elf32_##type *)0)->field), (header)->big))

struct checked_section {
	uint64_t type, flags, offset, size, link;
};

/* Returns false if the section header is not within the file. */
static bool read_section(
	int fd, const struct checked_header *header, uint64_t index, struct checked_section *ret)
{
	uint8_t bytes[sizeof(Elf64_Shdr)] = {};
	size_t size = header->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint64_t at = header->sections + index * size;

	if (at > INT64_MAX || pread(fd, bytes, size, (off_t)at) != (ssize_t)size)
		return false;
	ret->type = HEADER_FIELD(header, bytes, Shdr, sh_type);
	ret->flags = HEADER_FIELD(header, bytes, Shdr, sh_flags);
	ret->offset = HEADER_FIELD(header, bytes, Shdr, sh_offset);
	ret->size = HEADER_FIELD(header, bytes, Shdr, sh_size);
	ret->link = HEADER_FIELD(header, bytes, Shdr, sh_link);
	return true;
}

/*
 * Returns true if the section name table ends with a NUL byte, or has no content. Without the NUL,
 * elf_strptr() searches backwards for one on each call.
 */
static bool names_end(int fd, const struct checked_header *header)
{
	struct checked_section names;
	uint8_t last = 0;

	if (header->names >= header->n || !read_section(fd, header, header->names, &names) ||
		names.type == SHT_NOBITS || !names.size)
		return true;
	if (names.flags & SHF_COMPRESSED || names.offset > INT64_MAX - names.size)
		return false;
	/* libelf rejects a table beyond the end of the file. */
	return pread(fd, &last, 1, (off_t)(names.offset + names.size - 1)) != 1 || !last;
}

const char *elf_check(int fd, const struct stat *st)
{
	uint8_t bytes[sizeof(Elf64_Ehdr)] = {};
	bool has_header = pread(fd, bytes, sizeof(bytes), 0) >= (ssize_t)sizeof(Elf32_Ehdr) &&
			  !memcmp(bytes, ELFMAG, SELFMAG);
	struct checked_header header = {
		.is_64 = bytes[EI_CLASS] == ELFCLASS64, .big = bytes[EI_DATA] == ELFDATA2MSB};
	struct checked_section first;
	bool relocatable = has_header && HEADER_FIELD(&header, bytes, Ehdr, e_type) == ET_REL;
	uint64_t max = relocatable ? HOLES_MAX_RELOCATABLE : HOLES_MAX;
	uint64_t holes = count_holes(fd, st, max);

	if (holes > max)
		return relocatable ? "has more than 16 GiB of holes, and is not read"
				   : "has more than 256 MiB of holes, and is not read";
	if (!has_header)
		return NULL;
	header.sections = HEADER_FIELD(&header, bytes, Ehdr, e_shoff);
	header.n = HEADER_FIELD(&header, bytes, Ehdr, e_shnum);
	header.names = HEADER_FIELD(&header, bytes, Ehdr, e_shstrndx);
	/* section 0 has the numbers that do not fit the ELF header (gABI, "Section Header") */
	bool many_names = header.names == SHN_XINDEX;
	if (header.sections && (!header.n || many_names) && read_section(fd, &header, 0, &first)) {
		header.n = header.n ? header.n : first.size;
		header.names = many_names ? first.link : header.names;
	}
	if (header.n > SECTIONS_MAX ||
		header.n * sizeof(Elf32_Shdr) > (uint64_t)st->st_size - holes)
		return header.sections ? "too many ELF section headers" : NULL;
	return header.sections && !names_end(fd, &header)
		       ? "its section name table is not NUL-terminated"
		       : NULL;
}
