// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/files/sections.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "debug/files/inflate.h"
#include "util/number.h"
#include "object/elf_section.h"
#include "util/limits.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* ch_type 2: ELFCOMPRESS_ZSTD, missing in elf.h of glibc before 2.37. */
enum { COMPRESS_ZSTD = 2 };
/*
 * Limits on the inflated size of all sections of a file, against decompression bombs: compiler
 * output compresses to about a fifth, and no program has more than a few gigabytes of it.
 */
static const uint64_t INFLATED_MAX = 8ULL << 30;
enum { INFLATED_RATIO = 32, INFLATED_MIN = 64 << 20 };
/* Deflate compresses 1032:1 at best. zstd can do better, but not on compiler output. */
enum { RATIO_MAX = 1100, INFLATED_SMALL = 1 << 20 };

/* bytes of .debug_info that may stay inflated when the next unit is read */
enum { KEPT_MAX = 32 << 20 };

/* No type unit is larger, and no file has more of them. */
enum { TYPE_UNIT_MAX = 256 << 10, TYPE_UNITS_MAX = 4096 };
/* Limit on type units times sections, because each type unit takes a pass over all sections. */
enum { TYPE_WORK_MAX = 1 << 26 };

enum packing {
	PACKING_NONE,
	PACKING_ZLIB,
	PACKING_ZSTD,
};

struct section {
	struct slice slice;	      /* what sections_get() returns, if READY */
	struct inflate_source packed; /* bytes in the file, without compression header */
	uint64_t size;		      /* inflated size, in bytes */
	size_t index;		      /* index of the section header */
	uint64_t charged;	      /* bytes taken from the file's budget */
	enum packing packing;
	bool ready, inflated;	   /* INFLATED: we own SLICE's mapping */
	struct inflater *inflater; /* for PACKING_ZLIB once in use; owns SLICE's bytes */
};

struct sections {
	struct section all[SECTION_COUNT];
	const struct elf_image *relocatable; /* the image, if its sections need relocation */
	unsigned types, types_max;	     /* type units skipped so far, and their limit */
	bool big;			     /* numbers are big-endian */
	uint64_t budget;		     /* bytes that sections may still inflate to */
	const char *refused;
	struct slice altlink;
};

static const char no_memory[] = "not enough memory for its debug info";

static const char *const suffixes[SECTION_COUNT] = {
#define X(name, suffix) [SECTION_##name] = (suffix),
	DEBUG_SECTIONS(X)
#undef X
};

static void section_drop(struct section *section)
{
	if (section->inflated)
		munmap((void *)(uintptr_t)section->slice.data, section->slice.len);
	section->inflated = false;
	section->slice = (struct slice){};
}

/* Resets SECTION to its state before first use. */
static void section_close(struct sections *sections, struct section *section)
{
	sections->budget += section->charged;
	section->charged = 0;
	section_drop(section);
	inflater_destroy(section->inflater);
	section->inflater = NULL;
	section->ready = false;
}

void sections_destroy(struct sections *sections)
{
	if (!sections)
		return;
	array_each(section, sections->all, SECTION_COUNT)
		section_close(sections, section);
	free(sections);
}

/*
 * Returns LEN bytes of anonymous memory, which goes back to the system as soon as it is unmapped:
 * sections can take hundreds of megabytes. Returns NULL, and sets REFUSED, if there is not enough.
 */
static void *map_pages(struct sections *sections, size_t len)
{
	void *pages = xmap(len);

	if (!pages)
		sections->refused = no_memory;
	return pages;
}

static bool inflate_zstd(struct sections *sections, struct section *section)
{
	size_t len = section->size;
	void *out = map_pages(sections, len);

	if (!out)
		return false;
	size_t got = ZSTD_decompress(out, len, section->packed.data, section->packed.len);
	inflate_source_drop(&section->packed, 0, section->packed.len);
	if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
		xalloc_failed();
	if (got != len) { /* an error's value is above all lengths */
		munmap(out, len);
		return false;
	}
	section->slice = (struct slice){out, len, sections->big};
	section->inflated = true;
	return true;
}

/* Charges SECTION to the budget unless it already is. Returns false if it must not be inflated. */
static bool charge(struct sections *sections, struct section *section)
{
	if (section->charged)
		return true;
	if (!section->size || (section->size >= INFLATED_SMALL &&
				      section->size / RATIO_MAX > section->packed.len))
		return false;
	if (section->size > sections->budget) {
		sections->refused = "its compressed debug info would grow to more than 32 times "
				    "its size";
		return false;
	}
	if (section->size >= INFLATED_SMALL && !limits_has_memory(section->size)) {
		sections->refused = "half of the machine's memory is in use: its debug info is "
				    "not decompressed";
		return false;
	}
	section->charged = section->size;
	sections->budget -= section->size;
	return true;
}

/* Relocates SECTION, once, in a private copy. */
static bool relocate(struct sections *sections, struct section *section)
{
	size_t len = section->slice.len;

	if (!len)
		return true;
	if (!section->inflated) {
		void *copy = map_pages(sections, len);

		if (!copy)
			return false;
		section->slice.data = memcpy(copy, section->slice.data, len);
		section->inflated = true;
	}
	return relocate_section(sections->relocatable, section->index,
		(uint8_t *)(uintptr_t)section->slice.data, len);
}

static bool open_zlib(struct sections *sections, struct section *section)
{
	if (!section->inflater && charge(sections, section)) {
		section->inflater = inflater_create(&section->packed, section->size);
		if (!section->inflater)
			sections->refused = no_memory;
	}
	return section->inflater;
}

static struct slice inflated(const struct sections *sections, const struct section *section)
{
	return (struct slice){inflater_memory(section->inflater), section->size, sections->big};
}

static struct slice broken(struct section *section)
{
	section->ready = true;
	section_drop(section);
	return section->slice;
}

struct slice sections_get(struct sections *sections, enum section_id id)
{
	struct section *section = &sections->all[id];
	bool good = true;

	if (section->ready)
		return section->slice;
	section->ready = true;
	switch (section->packing) {
	case PACKING_NONE:
		section->slice =
			(struct slice){section->packed.data, section->packed.len, sections->big};
		break;
	case PACKING_ZSTD:
		good = charge(sections, section) && inflate_zstd(sections, section);
		break;
	case PACKING_ZLIB:
		good = open_zlib(sections, section) && inflater_finish(section->inflater);
		if (good)
			section->slice = inflated(sections, section);
		break;
	}
	if (good && sections->relocatable)
		good = relocate(sections, section);
	return good ? section->slice : broken(section);
}

bool sections_are_pinned(const struct sections *sections, enum section_id id)
{
	const struct section *section = &sections->all[id];

	return section->ready || section->packing != PACKING_ZLIB || sections->relocatable;
}

struct slice sections_part(
	struct sections *sections, enum section_id id, uint64_t offset, uint64_t len)
{
	struct section *section = &sections->all[id];

	if (sections_are_pinned(sections, id))
		return sections_get(sections, id);
	if (!open_zlib(sections, section))
		return broken(section);
	if (offset >= section->size)
		return (struct slice){};
	if (len > section->size - offset)
		len = section->size - offset;
	if (!inflater_reach(section->inflater, offset, offset + len))
		return broken(section);
	return inflated(sections, section);
}

void sections_release(struct sections *sections)
{
	struct section *info = &sections->all[SECTION_INFO];

	if (!info->ready && info->inflater)
		inflater_release(info->inflater, KEPT_MAX);
}

void sections_drop(struct sections *sections, uint64_t from, uint64_t to)
{
	const struct section *info = &sections->all[SECTION_INFO];

	if (info->packing == PACKING_NONE)
		inflate_source_drop(&info->packed, from, to);
}

uint64_t sections_size(const struct sections *sections, enum section_id id)
{
	const struct section *section = &sections->all[id];

	return section->packing == PACKING_NONE ? section->packed.len : section->size;
}

/*
 * Reads the Elf32_Chdr or Elf64_Chdr at the start of an SHF_COMPRESSED section. It has three words:
 * ch_type, ch_size and ch_addralign.
 */
static void read_chdr(struct section *section, const struct elf_image *image)
{
	const unsigned word = elf_image_word(image);
	const bool big = elf_image_is_big(image);

	if (section->packed.len < 3 * word) {
		section->packed.len = 0;
		return;
	}
	const uint64_t type = byte_order_read(section->packed.data, 4, big);
	section->packing = type == COMPRESS_ZSTD ? PACKING_ZSTD : PACKING_ZLIB;
	if (type == ELFCOMPRESS_ZLIB || type == COMPRESS_ZSTD)
		section->size = byte_order_read(section->packed.data + word, word, big);
	section->packed.data += 3 * word;
	section->packed.len -= 3 * word;
}

/* Returns the ID of the section .debug_SUFFIX or .zdebug_SUFFIX, SECTION_COUNT if none of ours. */
static enum section_id section_named(const char *suffix, bool dwo)
{
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		size_t len = strlen(suffixes[i]);
		const char *end = dwo && i != SECTION_CU_INDEX ? ".dwo" : "";

		if (!strncmp(suffix, suffixes[i], len) && !strcmp(suffix + len, end))
			return (enum section_id)i;
	}
	return SECTION_COUNT;
}

/*
 * Returns true if the .debug_info section found so far begins with a type unit. Object files can
 * have several .debug_info sections: gcc puts each DWARF 5 type unit into its own.
 */
static bool holds_type(struct sections *sections)
{
	struct section *section = &sections->all[SECTION_INFO];
	uint8_t start[16] = {};

	if (section->packing != PACKING_NONE && section->size > TYPE_UNIT_MAX)
		return false;
	struct slice info = sections_get(sections, SECTION_INFO);
	if (info.len)
		memcpy(start, info.data, info.len < sizeof(start) ? info.len : sizeof(start));
	section_close(sections, section);
	/*
	 * a unit begins with its length, 4 or 12 bytes; then come version, 2 bytes, and unit type
	 */
	size_t at = memcmp(start, "\xff\xff\xff\xff", 4) != 0 ? 4 : 12;
	return start[at + sections->big] == 5 && !start[at + !sections->big] &&
	       (start[at + 2] == DW_UT_type || start[at + 2] == DW_UT_split_type);
}

static void add_section(struct sections *sections, const struct elf_image *image, size_t index,
	const GElf_Shdr *shdr, const char *name, bool dwo)
{
	const struct slice bytes = image_section(image, shdr);
	struct section section = {.packed = {bytes.data, bytes.len, image->pages}, .index = index};
	const bool zdebug = !strncmp(name, ".zdebug_", 8);
	enum section_id id = SECTION_COUNT;

	if (!strcmp(name, ".gnu_debugaltlink"))
		sections->altlink = bytes;
	if (zdebug || !strncmp(name, ".debug_", 7))
		id = section_named(name + (zdebug ? 8 : 7), dwo);
	if (id == SECTION_COUNT || !bytes.data)
		return;
	if (shdr->sh_flags & SHF_COMPRESSED) {
		read_chdr(&section, image);
	} else if (zdebug) {
		/* "ZLIB" and the size as 8 bytes, most significant first */
		section.packing = PACKING_ZLIB;
		if (bytes.len >= 12 && !memcmp(bytes.data, "ZLIB", 4)) {
			section.size = byte_order_read(bytes.data + 4, 8, true);
			section.packed.data += 12;
			section.packed.len -= 12;
		}
	}
	/* the first section of a name counts, unless it is a type unit */
	if (sections->all[id].packed.data) {
		if (id != SECTION_INFO || sections->types == sections->types_max ||
			!holds_type(sections))
			return;
		sections->types++;
	}
	sections->all[id] = section;
}

struct sections *sections_create(const struct elf_image *image, enum sections_kind kind)
{
	const bool dwo = kind == SECTIONS_DWO;
	size_t n, size = 0;

	if (elf_getshdrnum(image->elf, &n))
		return NULL;
	struct sections *sections = xnew(sections);
	sections->big = elf_image_is_big(image);
	(void)elf_rawfile(image->elf, &size);
	sections->budget =
		size < INFLATED_MAX / INFLATED_RATIO ? size * INFLATED_RATIO : INFLATED_MAX;
	if (sections->budget < INFLATED_MIN)
		sections->budget = INFLATED_MIN;
	sections->types_max = n && TYPE_WORK_MAX / n < TYPE_UNITS_MAX
				      ? (unsigned)(TYPE_WORK_MAX / n)
				      : TYPE_UNITS_MAX;
	for (struct elf_section section = {}; elf_section_next(image->elf, &section);)
		add_section(sections, image, elf_ndxscn(section.scn), &section.header,
			elf_section_name(image->elf, &section), dwo);
	sections->relocatable = elf_image_is_relocatable(image) && !dwo ? image : NULL;
	if (sections->all[SECTION_INFO].packed.len || kind == SECTIONS_ANY)
		return sections;
	sections_destroy(sections);
	return NULL;
}

const char *sections_compression(const struct sections *sections)
{
	static const char *const names[] = {[PACKING_ZLIB] = "zlib", [PACKING_ZSTD] = "zstd"};

	return names[sections->all[SECTION_INFO].packing];
}

const char *sections_refused(const struct sections *sections)
{
	return sections->refused;
}

struct slice sections_altlink(const struct sections *sections)
{
	return sections->altlink;
}

struct sections *sections_from_slices(const struct slice slices[SECTION_COUNT])
{
	struct sections *sections = xnew(sections);

	for (size_t i = 0; i < SECTION_COUNT; i++) {
		sections->all[i].packed =
			(struct inflate_source){slices[i].data, slices[i].len, false};
		sections->big |= slices[i].big;
	}
	return sections;
}
