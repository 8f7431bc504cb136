// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/ambiguous_names.h"

#include <string.h>

#include "debug/names/shown_names.h"
#include "debug/symbols/symbol_table.h"
#include "object/elf_section.h"
#include "util/file.h"
#include "util/number.h"
#include "util/sort.h"
#include "util/stop.h"

/*
 * If more functions than this have one name, addresses distinguish them, and no file is looked up.
 */
enum { GROUP_MAX = 256 };
/* Bytes of a name compared first. */
enum { PREFIX = 4 };

/* ---- reading -------------------------------------------------------------------------------- */

/*
 * Adds the local functions in TABLE; unless all are wanted, those called NAME, whose HASH it is.
 */
static void add_functions(struct ambiguous_names *ambiguous, const struct symbol_table *table,
	const char *name, uint64_t hash)
{
	const bool by_prefix = !ambiguous->whole && function_name_base(name) >= PREFIX;
	struct same_name function = {};
	uint64_t start, end;

	for (size_t i = 1; i < table->locals && !stop_asked(); i++) {
		const GElf_Sym sym = symbol_table_get(table, i);
		const char *own = symbol_table_name(table, &sym);
		int type = GELF_ST_TYPE(sym.st_info);

		if ((type != STT_FILE && type != STT_FUNC) || !own)
			continue;
		if (type == STT_FILE) {
			function.unit = (uint32_t)i;
			function.file = *own ? own : NULL;
			continue;
		}
		if (!*own || sym.st_shndx == SHN_UNDEF || GELF_ST_BIND(sym.st_info) != STB_LOCAL ||
			(by_prefix && strncmp(own, name, PREFIX) != 0))
			continue;
		function.hash = stable_hash(own, function_name_base(own));
		if (!ambiguous->whole && function.hash != hash)
			continue;
		function.start = sym.st_value;
		function.section = sym.st_shndx;
		if (table->image->ehdr.e_type == ET_REL && sym.st_shndx < SHN_LORESERVE)
			function.start += elf_image_base(table->image, sym.st_shndx);
		(void)entry_point_follow(ambiguous->points, &function.start, &start, &end);
		vec_push(&ambiguous->all, function);
	}
}

COMPARE(compare_names, struct same_name,
	order_of(a->hash, b->hash)
	?: order_of(a->unit, b->unit)
	?: order_of(a->start, b->start))

/* Looks for the functions called NAME, whose HASH it is; once SINGLES is full, for all. */
static void look_for(struct ambiguous_names *ambiguous, const char *name, uint64_t hash)
{
	if (ambiguous->whole)
		return;
	array_each(single, ambiguous->singles, ambiguous->n_singles)
		if (*single == hash)
			return;
	ambiguous->whole = ambiguous->n_singles == array_len(ambiguous->singles);
	if (ambiguous->whole)
		ambiguous->all.len = 0;
	else
		ambiguous->singles[ambiguous->n_singles++] = hash;
	struct symbol_table table = symbol_table_open(ambiguous->debug, SHT_SYMTAB);
	if (!table.n)
		table = symbol_table_open(ambiguous->image, SHT_SYMTAB);
	add_functions(ambiguous, &table, name, hash);
	struct same_name *all = ambiguous->all.data;
	radix_sort_by(all, ambiguous->all.len, sizeof(*all), compare_names);
	/* merge the parts and clones of one function, which are in the same unit */
	size_t kept = 0;
	for (size_t i = 0; i < ambiguous->all.len; i++)
		if (!kept || all[kept - 1].hash != all[i].hash ||
			all[kept - 1].unit != all[i].unit ||
			(!all[i].unit && all[kept - 1].start != all[i].start))
			all[kept++] = all[i];
	ambiguous->all.len = kept;
}

/* ---- qualifiers ----------------------------------------------------------------------------- */

static bool same_file(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Returns the address as qualifier; in relocatable files, its section and offset. */
static const char *by_address(
	const struct ambiguous_names *ambiguous, const struct same_name *one, struct arena *arena)
{
	const struct elf_image *image = ambiguous->image;
	unsigned long long address = one->start;

	if (image->ehdr.e_type != ET_REL || one->section >= SHN_LORESERVE)
		return arena_printf(arena, "@0x%llx", address);
	struct elf_section section = {.scn = elf_getscn(image->elf, one->section)};
	bool found = section.scn && gelf_getshdr(section.scn, &section.header);
	return arena_printf(arena, "@%s+0x%llx",
		found ? elf_section_name(image->elf, &section) : "?",
		address - elf_image_base(image, one->section));
}

/*
 * Returns the file, by DWARF, of ONE of N functions; NULL if unknown, or if another's is unknown or
 * the same.
 */
static const char *own_file(const struct same_name *group, size_t n, const struct same_name *one,
	const struct frame_files *files)
{
	const char *file = files ? files->at(files->context, one->start, SIZE_MAX) : NULL;

	if (!file)
		return NULL;
	array_each(other, group, n) {
		if (other == one)
			continue;
		const char *others = files->at(files->context, other->start, SIZE_MAX);
		if (!others || same_file(file, others))
			return NULL;
	}
	return file;
}

/* Returns which of N functions SYMBOL belongs to, NULL if none: a global symbol belongs to none. */
static struct same_name *one_of(struct same_name *group, size_t n, const struct symbol *symbol)
{
	size_t at = partition_point(i, 0, n,
		group[i].unit < symbol->unit || (group[i].unit == symbol->unit && !symbol->unit &&
							group[i].start < symbol->start));

	if (at == n || group[at].unit != symbol->unit || !same_file(group[at].file, symbol->file))
		return NULL;
	return symbol->unit || group[at].start == symbol->start ? &group[at] : NULL;
}

/*
 * Returns the function whose unit's file is FILE, for an inlined function, which has no symbol.
 * Returns NULL if none or several of the N functions have it.
 */
static struct same_name *inlined_one(struct same_name *group, size_t n, const char *file)
{
	struct same_name *found = NULL;

	array_each(one, group, n) {
		if (!one->file || strcmp(file_base_name(one->file), file) != 0)
			continue;
		if (found)
			return NULL;
		found = one;
	}
	return found;
}

/* Returns the functions called NAME, N_RET of them. */
static struct same_name *find_group(
	struct ambiguous_names *ambiguous, const char *name, size_t *n_ret)
{
	uint64_t hash = stable_hash(name, function_name_base(name));

	look_for(ambiguous, name, hash);
	size_t first = sorted_count(ambiguous->all.data, ambiguous->all.len, .hash < hash);
	size_t end = sorted_count(ambiguous->all.data, ambiguous->all.len, .hash <= hash);
	*n_ret = end - first;
	return *n_ret ? &ambiguous->all.data[first] : NULL;
}

bool ambiguous_names_repeat(struct ambiguous_names *ambiguous, const char *name)
{
	size_t n;

	find_group(ambiguous, name, &n);
	return n > 1;
}

const char *ambiguous_names_qualifier(struct ambiguous_names *ambiguous, const char *name,
	const struct symbol *symbol, const char *file, const struct frame_files *files,
	struct arena *arena)
{
	size_t n;

	if ((symbol && !symbol->local) || (!symbol && !file))
		return NULL;
	struct same_name *group = find_group(ambiguous, name, &n), *one = NULL;
	if (n < 2)
		return NULL;
	if (symbol)
		one = one_of(group, n, symbol);
	else if (n <= GROUP_MAX)
		one = inlined_one(group, n, file_base_name(file));
	if (!one)
		return symbol ? NULL : arena_printf(arena, "(%s)", file_base_name(file));
	if (one->qualifier)
		return one->qualifier;
	const char *own = NULL;
	if (n <= GROUP_MAX) {
		size_t same = 0; /* functions whose unit has the same file */

		array_each(other, group, n)
			same += same_file(other->file, one->file);
		own = one->file && same == 1 ? one->file : own_file(group, n, one, files);
	}
	one->qualifier = own ? arena_printf(arena, "(%s)", own) : by_address(ambiguous, one, arena);
	return one->qualifier;
}
