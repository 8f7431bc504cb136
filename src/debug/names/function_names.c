// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/names/function_names.h"

#include <string.h>

#include "debug/names/name_path.h"
#include "debug/names/short_name.h"
#include "debug/symbols/symbol_table.h"
#include "util/bloom.h"
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

/* ---- Go ------------------------------------------------------------------------------------- */

/* The path stays if more functions than this differ only in path and type arguments. */
enum { COMPARED_MAX = 4096 };

void go_names_deinit(struct go_names *names)
{
	function_names_deinit(&names->functions);
}

/* Returns the length of NAME in bytes without type arguments, which the table lists as "[...]". */
static size_t base_length(const char *name)
{
	return strcspn(name, "[");
}

static uint64_t hash_of(const char *name)
{
	const char *tail = short_name_go(name);

	return bloom_hash(tail, base_length(tail));
}

static bool same_base(const char *a, const char *b)
{
	size_t len = base_length(a);

	return len == base_length(b) && !memcmp(a, b, len);
}

static void read_names(struct go_names *names, const struct gopclntab *go)
{
	const struct slice all = go ? gopclntab_names(go) : (struct slice){};

	names->read = true;
	if (!all.len)
		return;
	const char *at = (const char *)all.data, *end = at + all.len;
	for (const char *next; at < end && (next = memchr(at, '\0', (size_t)(end - at)));
		at = next + 1)
		if (*at && next - at <= FUNCTION_NAME_MAX)
			vec_push(&names->functions.all, (struct function_name){hash_of(at), at});
	radix_sort(names->functions.all.data, names->functions.all.len,
		sizeof(*names->functions.all.data));
}

const char *go_names_shown(struct go_names *names, const struct gopclntab *go, const char *name)
{
	const char *tail = short_name_go(name);
	bool found = false;
	size_t n;

	if (tail == name || strnlen(name, FUNCTION_NAME_MAX + 1) > FUNCTION_NAME_MAX)
		return NULL;
	if (!names->read)
		read_names(names, go);
	const struct function_name *all = function_names_of(&names->functions, hash_of(name), &n);
	for (size_t i = 0; i < n; i++) {
		bool same = same_base(all[i].name, name);

		if (i == COMPARED_MAX || (!same && same_base(short_name_go(all[i].name), tail)))
			return NULL;
		found |= same;
	}
	return found ? tail : NULL;
}
