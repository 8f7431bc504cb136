/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug sections of one ELF file as slices of bytes, either of the mapped file itself or of
 * memory. Compressed sections (SHF_COMPRESSED with zlib or zstd, .zdebug_*) are inflated when first
 * used; sections of relocatable files are copied and relocated then (debug/files/relocations.h).
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
 * Releases the bytes that sections_part() inflated, if they are more than MOST. Does nothing if
 * sections_get() returned the section.
 */
void sections_release(struct sections *sections, enum section_id id, size_t most);
/*
 * Drops the mapped pages of bytes [FROM, TO) of a section that is used as it is in the file. The
 * next access reads them again.
 */
void sections_drop(struct sections *sections, enum section_id id, uint64_t from, uint64_t to);
/* Returns true if sections_release() never invalidates bytes of this section. */
bool sections_are_pinned(const struct sections *sections, enum section_id id);
/* Returns the inflated size of a section, in bytes, without inflating it. */
uint64_t sections_size(const struct sections *sections, enum section_id id);
/* Returns how a section is compressed, "zlib" or "zstd"; NULL if it is not. */
const char *sections_compression(const struct sections *sections, enum section_id id);
/* Returns why a section was refused although it could be inflated; NULL if none was. */
const char *sections_refused(const struct sections *sections);
/* Returns the bytes of .gnu_debugaltlink, which names the file that dwz wrote. */
struct slice sections_altlink(const struct sections *sections);
