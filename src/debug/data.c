// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/data.h"

#include <stdlib.h>
#include <string.h>

#include "debug/range_map.h"
#include "debug/symbols/demangle.h"
#include "debug/symbols/symbol_table.h"
#include "util/cleanup.h"
#include "util/vec.h"
#include "util/xalloc.h"

struct datum {
	uint64_t start, end;
	const char *name;
};

struct data {
	struct VEC(struct datum) symbols;
	struct range_map map; /* values are indices into SYMBOLS */
};

static void add_symbol(
	struct data *data, const struct elf_image *image, const GElf_Sym *sym, const char *name)
{
	GElf_Shdr section;
	Elf_Scn *scn = sym->st_shndx < SHN_LORESERVE ? elf_getscn(image->elf, sym->st_shndx) : NULL;
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
	const struct symbol_table table = symbol_table_open(image, type);

	for (size_t i = 1; i < table.n; i++) {
		const GElf_Sym sym = symbol_table_get(&table, i);

		if (GELF_ST_TYPE(sym.st_info) == STT_OBJECT)
			add_symbol(data, image, &sym, symbol_table_name(&table, &sym));
	}
}

struct data *data_create(const struct elf_image *image, const struct elf_image *debug)
{
	struct data *data = xcalloc(1, sizeof(*data));

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
