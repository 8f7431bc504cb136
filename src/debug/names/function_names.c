// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/names/function_names.h"

#include <string.h>

#include "debug/names/name_path.h"
#include "util/order.h"
#include "util/radix.h"
#include "util/stop.h"
#include "object/elf_section.h"

size_t function_name_base(const char *name)
{
	size_t len = strnlen(name, FUNCTION_NAME_MAX + 1);
	const char *dot = len ? memchr(name + 1, '.', len - 1) : NULL;
	const char *at = memchr(name, '@', dot ? (size_t)(dot - name) : len);

	return at ? (size_t)(at - name) : dot ? (size_t)(dot - name) : len;
}

static bool is_function(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

/* A symbol table and its strings. */
struct symbols {
	Elf_Data *data; /* NULL: there is none */
	const Elf_Data *strings;
};

static struct symbols find_symbols(const struct elf_image *image, unsigned type)
{
	struct elf_section section = {};

	while (image && elf_section_next_of(image->elf, type, &section)) {
		const Elf_Data *strings =
			elf_getdata(elf_getscn(image->elf, section.header.sh_link), NULL);
		if (strings && strings->d_size &&
			!((const char *)strings->d_buf)[strings->d_size - 1])
			return (struct symbols){elf_getdata(section.scn, NULL), strings};
	}
	return (struct symbols){};
}

static size_t symbols_size(const struct symbols *symbols)
{
	return symbols->data ? symbols->data->d_size : 0;
}

static void read_symbols(const struct symbols *symbols, struct function_names *ret)
{
	GElf_Sym sym;

	for (int i = 1; symbols->data && gelf_getsym(symbols->data, i, &sym) && !stop_asked();
		i++) {
		if (!is_function(&sym) || sym.st_name >= symbols->strings->d_size)
			continue;
		const char *name = (const char *)symbols->strings->d_buf + sym.st_name;
		size_t len = function_name_base(name);

		if (len && len <= FUNCTION_NAME_MAX)
			vec_push(&ret->all, (struct function_name){name_path(name, len), name});
	}
}

void function_names_read(
	const struct elf_image *image, const struct elf_image *file, struct function_names *ret)
{
	const struct symbols own = find_symbols(image, SHT_SYMTAB),
			     more = find_symbols(file, SHT_SYMTAB),
			     dynamic = find_symbols(image, SHT_DYNSYM);

	/* A debug file's table is that of the file before it was stripped: it has what is left in that, too. */
	bool whole = symbols_size(&more) > symbols_size(&own) + symbols_size(&dynamic);
	read_symbols(&more, ret);
	if (!whole)
		read_symbols(&own, ret);
	if (!whole && !own.data)
		read_symbols(&dynamic, ret);
	radix_sort(ret->all.data, ret->all.len, sizeof(*ret->all.data));
	ret->partial = stop_asked();
}

void function_names_deinit(struct function_names *names)
{
	vec_deinit(&names->all);
}

const struct function_name *function_names_of(
	const struct function_names *names, uint64_t path, size_t *n_ret)
{
	size_t first = sorted_count(names->all.data, names->all.len, .path < path);
	size_t end = sorted_count(names->all.data, names->all.len, .path <= path);

	*n_ret = end - first;
	return *n_ret ? &names->all.data[first] : NULL;
}
