/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug sections of one ELF file as slices of bytes, either of the mapped file itself or of
 * memory. Compressed sections (SHF_COMPRESSED with zlib or zstd, .zdebug_*) are inflated when first
 * used; sections of relocatable files are copied and relocated then (relocations.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/elf_image.h"

struct slice {
	const uint8_t *data;
	size_t len; /* in bytes; 0 if missing or unreadable */
	bool big;   /* its numbers are big-endian */
};

/*
 * X(NAME, suffix): the section .debug_SUFFIX or .zdebug_SUFFIX, in .dwo and .dwp files with .dwo
 * appended. The index of a package has no .dwo.
 */
#define DEBUG_SECTIONS(X)                                                                          \
	X(INFO, "info")                                                                            \
	X(ABBREV, "abbrev")                                                                        \
	X(ARANGES, "aranges")                                                                      \
	X(LINE, "line")                                                                            \
	X(LINE_STR, "line_str")                                                                    \
	X(STR, "str")                                                                              \
	X(STR_OFFSETS, "str_offsets")                                                              \
	X(ADDR, "addr")                                                                            \
	X(RANGES, "ranges")                                                                        \
	X(RNGLISTS, "rnglists")                                                                    \
	X(CU_INDEX, "cu_index")                                                                    \
	X(SUP, "sup")                                                                              \
	X(FRAME, "frame")

enum section_id {
#define X(name, suffix) SECTION_##name,
	DEBUG_SECTIONS(X)
#undef X
		SECTION_COUNT,
};

struct sections;

/* What sections are read for. */
enum sections_kind {
	SECTIONS_INFO, /* needs .debug_info */
	SECTIONS_DWO,  /* the same, with names that end in ".dwo" */
	SECTIONS_ANY,  /* a file that dwz made may have only strings, others only .debug_frame */
};

/*
 * Reads the section headers of IMAGE, which must outlive the result. Returns NULL if the file does
 * not have what KIND needs.
 */
struct sections *sections_create(const struct elf_image *image, enum sections_kind kind);
/*
 * Creates sections from slices, whose bytes stay the caller's. A slice without data is a missing
 * section.
 */
struct sections *sections_from_slices(const struct slice slices[SECTION_COUNT]);
void sections_destroy(struct sections *sections);
/*
 * Returns the bytes of a section, empty if it is missing or unreadable; valid as long as SECTIONS.
 */
struct slice sections_get(struct sections *sections, enum section_id id);
/*
 * Returns the section with its whole length, of which only LEN bytes at OFFSET (or fewer, up to its
 * end) are guaranteed to be valid: one unit can be read without inflating the whole section. They
 * stay valid until sections_release(). Ascending offsets are fastest.
 */
struct slice sections_part(
	struct sections *sections, enum section_id id, uint64_t offset, uint64_t len);
/*
 * Releases the bytes of .debug_info that sections_part() inflated, if they are more than 32 MiB.
 * Does nothing if sections_get() returned the section.
 */
void sections_release(struct sections *sections);
/*
 * Drops the mapped pages of bytes [FROM, TO) of .debug_info, if it is used as it is in the file.
 * The next access reads them again.
 */
void sections_drop(struct sections *sections, uint64_t from, uint64_t to);
/* Returns true if sections_release() never invalidates bytes of this section. */
bool sections_are_pinned(const struct sections *sections, enum section_id id);
/* Returns the inflated size of a section, in bytes, without inflating it. */
uint64_t sections_size(const struct sections *sections, enum section_id id);
/* Returns how .debug_info is compressed, "zlib" or "zstd"; NULL if it is not. */
const char *sections_compression(const struct sections *sections);
/* Returns why a section was refused although it could be inflated; NULL if none was. */
const char *sections_refused(const struct sections *sections);
/* Returns the bytes of .gnu_debugaltlink, which names the file that dwz wrote. */
struct slice sections_altlink(const struct sections *sections);

/*
 * The bytes of an ELF file as they are after loading at its own addresses or, for a relocatable
 * file (a kernel module, a .o), after linking.
 */

/* A pointer set by a relocation. */
struct image_word {
	uint64_t address, value; /* ADDRESS is first, as sort key */
};

/*
 * The pointers that relative relocations set. Needs no section headers. Supports only little-endian
 * files.
 */
struct image_words {
	const struct elf_image *image;
	unsigned size;		 /* size of a pointer, in bytes: 4 or 8 */
	struct image_word *data; /* sorted by address */
	size_t len, cap;
};

/* Reads the relative relocations of IMAGE, which must outlive WORDS. */
void image_words_init(struct image_words *words, const struct elf_image *image);
/* Returns the bytes in the file from ADDRESS to the end of its segment; empty if there are none. */
struct slice image_bytes(const struct elf_image *image, uint64_t address);
/* Returns the bytes in the file of a PT_LOAD segment; empty if they are out of bounds. */
struct slice image_segment(const struct elf_image *image, const GElf_Phdr *load);
/* Returns the bytes in the file of a section; empty if it has none or they are out of bounds. */
struct slice image_section(const struct elf_image *image, const GElf_Shdr *shdr);
/* Reads the pointer at ADDRESS. Returns false if there are no bytes in the file. */
bool image_word_at(const struct image_words *words, uint64_t address, uint64_t *ret);

/*
 * Applies all relocations (SHT_RELA and SHT_REL) of section INDEX of a relocatable file to BYTES,
 * an inflated private copy of its LEN bytes, as a linker would: references to code become ELF
 * addresses (see object/elf_image.h for what these are in such files). Returns false if one of them
 * cannot be applied, for example because its type is not in arch/arch.h; BYTES must not be used
 * then.
 */
bool relocate_section(
	const struct elf_image *image, size_t index, uint8_t *bytes, size_t len) must_check;
/* Returns a relocated copy of section INDEX, malloc'ed. Returns NULL likewise. */
uint8_t *relocate_copy(const struct elf_image *image, size_t index, const void *bytes, size_t len);
