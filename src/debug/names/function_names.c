// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/names/function_names.h"

#include <string.h>

#include "debug/names/name_path.h"
#include "debug/symbols/symbol_table.h"
#include "util/order.h"
#include "util/radix.h"
#include "util/stop.h"

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

static void read_symbols(const struct symbol_table *table, struct function_names *ret)
{
	for (size_t i = 1; i < table->n && !stop_asked(); i++) {
		const GElf_Sym sym = symbol_table_get(table, i);
		const char *name = symbol_table_name(table, &sym);
		size_t len = name && is_function(&sym) ? function_name_base(name) : 0;

		if (len && len <= FUNCTION_NAME_MAX)
			vec_push(&ret->all, (struct function_name){name_path(name, len), name});
	}
}

void function_names_read(
	const struct elf_image *image, const struct elf_image *file, struct function_names *ret)
{
	const struct symbol_table own = symbol_table_open(image, SHT_SYMTAB),
				  more = symbol_table_open(file, SHT_SYMTAB),
				  dynamic = symbol_table_open(image, SHT_DYNSYM);

	/*
	 * A debug file has the table from before stripping, which includes what is left in the
	 * stripped file.
	 */
	bool whole = more.n > own.n + dynamic.n;
	read_symbols(&more, ret);
	if (!whole)
		read_symbols(&own, ret);
	if (!whole && !own.n)
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
