/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug sections of one ELF file as slices of bytes, wherever they come from: the mapped file
 * itself, or memory that a compressed section (SHF_COMPRESSED with zlib or zstd, .zdebug_*) was
 * inflated into. A section is inflated when it is first asked for, and so are sections of
 * relocatable files copied and relocated (debug/files/relocate.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/elf_image.h"

struct slice {
	const uint8_t *data;
	size_t len; /* 0: not there, or unreadable */
};

/*
 * X(NAME, suffix): the section .debug_SUFFIX, .zdebug_SUFFIX, or either with .dwo after it; but the
 * index of a package has no .dwo.
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

/*
 * IMAGE must outlive the result, and libdw must not have opened it before: libdw 0.188 inflates
 * sections in the Elf handle, whose headers then no longer describe the file. NULL: the file is not
 * little-endian or has no .debug_info. With DWO the names end in ".dwo".
 */
struct sections *sections_create(const struct elf_image *image, bool dwo);
/* Of a file that dwz made: it may hold nothing but strings. NULL: not little-endian. */
struct sections *sections_create_shared(const struct elf_image *image);
/* For SECTION_FRAME alone, of a file in any byte order. NULL: it has no sections. */
struct sections *sections_create_frames(const struct elf_image *image);
/* Over slices that the caller keeps; a slice without data is not there. */
struct sections *sections_from_slices(const struct slice slices[SECTION_COUNT]);
void sections_destroy(struct sections *sections);
/* The bytes of a section, valid as long as SECTIONS. */
struct slice sections_get(struct sections *sections, enum section_id id);
/*
 * The same section with its whole length, of which only LEN bytes at OFFSET (or less, up to its
 * end) are sure to be there: enough for a look at one unit without inflating all of them. They stay
 * there until sections_release(). Best asked for in ascending order.
 */
struct slice sections_part(
	struct sections *sections, enum section_id id, uint64_t offset, uint64_t len);
/*
 * Releases what sections_part() had inflated, if that is more than MOST bytes. Not a section that
 * was got.
 */
void sections_release(struct sections *sections, enum section_id id, size_t most);
/* True: sections_release() never takes bytes of this section away. */
bool sections_are_pinned(const struct sections *sections, enum section_id id);
/* The size of a section, without inflating it. */
uint64_t sections_size(const struct sections *sections, enum section_id id);
/* What a section is compressed with: "zlib" or "zstd"; NULL: it is not. */
const char *sections_compression(const struct sections *sections, enum section_id id);
/* Why a section was not inflated though it could be; NULL: none was refused. */
const char *sections_refused(const struct sections *sections);
/* What the compressed sections of a file of so many bytes may inflate to in all, in bytes. */
uint64_t sections_budget(uint64_t file_size);
/* The bytes of .gnu_debugaltlink, which names dwz's file. */
struct slice sections_altlink(const struct sections *sections);
