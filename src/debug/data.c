// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/data.h"

#include <stdlib.h>
#include <string.h>

#include "debug/range_map.h"
#include "debug/symbols/demangle.h"
#include "util/cleanup.h"
#include "util/vec.h"
#include "util/xalloc.h"
#include "object/elf_section.h"

enum { SYMBOLS_MAX = 1 << 26 };

struct datum {
	uint64_t start, end;
	const char *name;
};

struct data {
	struct VEC(struct datum) symbols;
	struct range_map map; /* values are indices into symbols */
};

static void add_symbol(
	struct data *data, const struct elf_image *image, const GElf_Sym *sym, size_t strings)
{
	GElf_Shdr section;
	Elf_Scn *scn = sym->st_shndx < SHN_LORESERVE ? elf_getscn(image->elf, sym->st_shndx) : NULL;
	const char *name = elf_strptr(image->elf, strings, sym->st_name);
	uint64_t start = sym->st_value + elf_image_base(image, sym->st_shndx);

	if (sym->st_shndx == SHN_UNDEF || !scn || !gelf_getshdr(scn, &section) ||
		!(section.sh_flags & SHF_ALLOC) || section.sh_flags & SHF_TLS || !name || !*name ||
		sym->st_size > UINT64_MAX - start)
		return;
	if (sym->st_size)
		range_map_add(
			&data->map, start, start + sym->st_size, (uint32_t)data->symbols.len, 0);
	vec_push(&data->symbols, (struct datum){start, start + sym->st_size, name});
}

static void add_symbols(struct data *data, const struct elf_image *image, unsigned type)
{
	struct elf_section section = {}; /* there is one of each type */
	GElf_Sym sym;

	if (!elf_section_next_of(image->elf, type, &section))
		return;
	Elf_Data *table = elf_getdata(section.scn, NULL);
	for (int i = 1; table && i < SYMBOLS_MAX && gelf_getsym(table, i, &sym); i++)
		if (GELF_ST_TYPE(sym.st_info) == STT_OBJECT)
			add_symbol(data, image, &sym, section.header.sh_link);
}

struct data *data_create(const struct elf_image *image, const struct elf_image *debug)
{
	struct data *data = xcalloc(1, sizeof(*data));

	if (debug)
		add_symbols(data, debug, SHT_SYMTAB);
	add_symbols(data, image, SHT_SYMTAB);
	add_symbols(data, image, SHT_DYNSYM);
	range_map_finish(&data->map);
	return data;
}

void data_destroy(struct data *data)
{
	if (!data)
		return;
	range_map_deinit(&data->map);
	vec_deinit(&data->symbols);
	free(data);
}

const char *data_find(const struct data *data, uint64_t address, uint64_t *start_ret)
{
	const struct range *range = range_map_find(&data->map, address);

	if (!range)
		return NULL;
	*start_ret = data->symbols.data[range->value].start;
	return data->symbols.data[range->value].name;
}

static bool is_called(const struct datum *datum, const char *name, bool mangled)
{
	if (!mangled)
		return !strcmp(datum->name, name);
	auto_free char *s = demangle(datum->name);
	return s && !strcmp(s, name);
}

bool data_named(const struct data *data, const char *name, uint64_t *ret)
{
	for (int mangled = 0; mangled < 2; mangled++)
		for (size_t i = 0; i < data->symbols.len; i++)
			if (is_called(&data->symbols.data[i], name, mangled)) {
				*ret = data->symbols.data[i].start;
				return true;
			}
	return false;
}
