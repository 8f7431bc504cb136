// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/symbol_table.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "debug/files/sections.h"
#include "debug/symbols/demangle.h"
#include "object/elf_section.h"
#include "object/unpack.h"
#include "util/cleanup.h"
#include "util/sort.h"
#include "util/xalloc.h"

struct symbol_table symbol_table_open(const struct elf_image *image, unsigned int type)
{
	struct elf_section section = {};

	if (!image || !elf_section_next_of(image->elf, type, &section))
		return (struct symbol_table){};
	Elf_Data *data = elf_section_data(section.scn);
	const Elf_Data *strings = elf_section_data(elf_getscn(image->elf, section.header.sh_link));
	if (!data || data->d_type != ELF_T_SYM || !data->d_buf || !strings || !strings->d_size ||
		((const char *)strings->d_buf)[strings->d_size - 1])
		return (struct symbol_table){};
	bool is_64 = gelf_getclass(image->elf) == ELFCLASS64;
	size_t n = data->d_size / (is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
	return (struct symbol_table){.image = image,
		.data = data,
		.n = n,
		.locals = section.header.sh_info < n ? section.header.sh_info : n,
		.section = elf_ndxscn(section.scn),
		.is_64 = is_64,
		.strings = strings->d_buf,
		.strings_size = strings->d_size};
}

/* ---- code ----------------------------------------------------------------------------------- */

/* Larger sections are rejected: a descriptor has 24 bytes, and no file has 2^24 functions. */
enum { OPD_MAX = 24 << 24 };

struct entry_points {
	const struct arch *arch;
	bool big_endian;
	uint64_t start;	      /* ELF address of .opd */
	const uint8_t *words; /* bytes of .opd; NULL: none */
	size_t len;
	uint8_t *copy;	       /* relocated bytes, owned; NULL if not needed */
	struct range_map code; /* ELF addresses of code sections; each has a value of its own */
};

/*
 * Reads .opd and the code sections of IMAGE, unless .opd is known. In debug files it has no bytes.
 */
static void read_image(struct entry_points *points, const struct elf_image *image)
{
	if (!image || points->words)
		return;
	points->code.len = 0;
	for (struct elf_section section = {}; elf_section_next(image->elf, &section);) {
		const GElf_Shdr *shdr = &section.header;

		if (!(shdr->sh_flags & SHF_ALLOC))
			continue;
		const size_t index = elf_ndxscn(section.scn);
		uint64_t start = shdr->sh_addr + elf_image_base(image, index);
		if (shdr->sh_flags & SHF_EXECINSTR && shdr->sh_size <= UINT64_MAX - start) {
			range_map_add(&points->code, start, start + shdr->sh_size,
				(uint32_t)points->code.len, 0);
			continue;
		}
		if (points->words || shdr->sh_type != SHT_PROGBITS ||
			strcmp(elf_section_name(image->elf, &section), ".opd"))
			continue;
		Elf_Data *data = elf_section_data(section.scn);
		if (!data || !data->d_buf || !data->d_size || data->d_size > OPD_MAX)
			continue;
		if (elf_image_is_relocatable(image)) {
			points->copy = relocate_copy(image, index, data->d_buf, data->d_size);
			if (!points->copy)
				continue;
		}
		points->words = points->copy ?: data->d_buf;
		points->len = data->d_size;
		points->start = start;
	}
}

struct entry_points *entry_points_create(
	const struct elf_image *image, const struct elf_image *debug)
{
	const struct arch *arch = arch_of(image->ehdr.e_machine);

	if (!arch->mode_bits && !arch->descriptors)
		return NULL;
	struct entry_points *points = xnew(points);
	points->arch = arch;
	points->big_endian = elf_image_is_big(image);
	if (arch->descriptors) {
		read_image(points, image);
		read_image(points, debug);
		range_map_finish(&points->code);
	}
	return points;
}

void entry_points_destroy(struct entry_points *points)
{
	if (!points)
		return;
	vec_deinit(&points->code);
	free(points->copy);
	free(points);
}

bool entry_point_follow(
	const struct entry_points *points, uint64_t *value, uint64_t *start_ret, uint64_t *end_ret)
{
	uint64_t word;

	if (!points)
		return false;
	*value = arch_code_address(points->arch, *value);
	uint64_t at = *value - points->start;
	if (at >= points->len || points->len - at < sizeof(word))
		return false;
	memcpy(&word, points->words + at, sizeof(word));
	*value = points->big_endian ? be64toh(word) : le64toh(word);
	const struct range *code = range_map_find(&points->code, *value);
	*start_ret = code ? code->start : 0;
	*end_ret = code ? code->end : 0;
	return true;
}

/* Before GCC 3.4, and with -mcall-aixdesc, the code has its own symbol, with a leading dot. */
const char *entry_point_name(const struct entry_points *points, const char *name)
{
	return points && points->words && name[0] == '.' && name[1] ? name + 1 : name;
}

/* ---- MiniDebugInfo -------------------------------------------------------------------------- */

/*
 * Limits in bytes: symbols of a huge program take about 10 MB, and `xz -9` needs 65 MB to
 * decompress.
 */
enum { MINI_MAX = 96 << 20, MEMORY_MAX = 80 << 20 };

/*
 * Returns true if MINI appears to be of the same build: build IDs, if both are known, are equal,
 * and so are the code sections.
 */
static bool is_of(const struct elf_image *mini, const struct elf_image *image)
{
	if (mini->build_id.len && image->build_id.len &&
		!build_id_equal(&mini->build_id, &image->build_id))
		return false;
	return elf_section_next_code(mini->elf, &(struct elf_section){}) &&
	       same_code_sections(mini, image);
}

struct elf_image *minidebug_open(const struct elf_image *image, const struct elf_image *debug)
{
	static const char name[] = ".gnu_debugdata";
	struct elf_section own = {}, other = {};
	struct unpacked bytes = {.max = MINI_MAX};

	if (elf_section_next_of(image->elf, SHT_SYMTAB, &own) ||
		(debug && elf_section_next_of(debug->elf, SHT_SYMTAB, &other)))
		return NULL;
	if (!elf_section_find(image->elf, name, &own) || own.header.sh_type != SHT_PROGBITS)
		return NULL;
	struct slice packed = image_section(image, &own.header);
	if (!packed.len)
		return NULL;
	scope_guard(elf_image_cleanup) struct elf_image *mini = NULL;
	if (unpack_xz(packed.data, packed.len, MEMORY_MAX, false, &bytes) && bytes.len)
		error_destroy(elf_image_from_memory(bytes.data, bytes.len, name, &mini));
	else
		free(bytes.data);
	return mini && is_of(mini, image) ? take(mini) : NULL;
}

/* ---- variables ------------------------------------------------------------------------------ */

static void add_symbols(struct data *data, const struct elf_image *image, unsigned type)
{
	const struct symbol_table table = symbol_table_open(image, type);
	GElf_Shdr section;

	for (size_t i = 1; i < table.n; i++) {
		const GElf_Sym sym = symbol_table_get(&table, i);
		const char *name = symbol_table_name(&table, &sym);

		if (GELF_ST_TYPE(sym.st_info) != STT_OBJECT || !name || !*name ||
			sym.st_shndx == SHN_UNDEF || sym.st_shndx >= SHN_LORESERVE)
			continue;
		Elf_Scn *scn = elf_getscn(image->elf, sym.st_shndx);
		uint64_t start = sym.st_value + elf_image_base(image, sym.st_shndx);
		if (!scn || !gelf_getshdr(scn, &section) || !(section.sh_flags & SHF_ALLOC) ||
			section.sh_flags & SHF_TLS || sym.st_size > UINT64_MAX - start)
			continue;
		if (sym.st_size)
			range_map_add(&data->map, start, start + sym.st_size,
				(uint32_t)data->symbols.len, 0);
		vec_push(&data->symbols, (struct datum){start, name});
	}
}

void data_read(const struct elf_image *image, const struct elf_image *debug, struct data *ret)
{
	add_symbols(ret, debug, SHT_SYMTAB);
	add_symbols(ret, image, SHT_SYMTAB);
	add_symbols(ret, image, SHT_DYNSYM);
	range_map_finish(&ret->map);
	ret->read = true;
}

const struct datum *data_find(const struct data *data, uint64_t address)
{
	const struct range *range = range_map_find(&data->map, address);

	return range ? &data->symbols.data[range->value] : NULL;
}

bool data_named(const struct data *data, const char *name, uint64_t *ret)
{
	for (int mangled = 0; mangled < 2; mangled++)
		vec_each(symbol, &data->symbols) {
			auto_free char *demangled = mangled ? demangle(symbol->name) : NULL;
			const char *own = mangled ? demangled : symbol->name;

			if (own && !strcmp(own, name)) {
				*ret = symbol->start;
				return true;
			}
		}
	return false;
}
