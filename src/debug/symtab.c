// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "debug/range_map.h"
#include "util/vec.h"

/* Names are compared by length up to LENGTH_MAX, so that a huge one costs nothing. */
enum { SYMBOLS_MAX = 1 << 28, LENGTH_MAX = 1024 };

/* A symbol as read, before it is known how far it reaches and which alias wins. */
struct entry {
	struct symbol symbol; /* end: of its section while it has no size */
	bool sized;
	uint8_t binding; /* 2 global, 1 weak, 0 local */
	uint8_t underscores;
	uint16_t length;
	uint32_t order; /* position in the tables */
};

struct symtab {
	struct VEC(struct symbol) symbols;
	struct range_map sized;  /* values are indices into symbols */
	struct range_map labels; /* code that SIZED leaves unnamed */
};

struct entries VEC(struct entry);

struct table_source {
	const struct elf_image *image;
	Elf *elf; /* its */
	Elf_Data *symbols, *indices; /* indices: SHT_SYMTAB_SHNDX, usually NULL */
	size_t strings;              /* section index of the string table */
	enum frame_source source;
	const char *file; /* of the local symbols that follow, NULL: unknown */
};

static Elf_Data *section_indices(Elf *elf, size_t table)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr shdr;

		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB_SHNDX &&
			shdr.sh_link == table)
			return elf_getdata(scn, NULL);
	}
	return NULL;
}

/* The section that holds the code of SYM, false if there is none such. */
static bool code_section(const struct table_source *table, size_t index, GElf_Shdr *ret)
{
	Elf_Scn *scn = index == SHN_UNDEF ? NULL : elf_getscn(table->elf, index);

	return scn && gelf_getshdr(scn, ret) && ret->sh_flags & SHF_ALLOC &&
	       ret->sh_flags & SHF_EXECINSTR;
}

/* Labels that only the assembler or the linker cares about. */
static bool private_label(const char *name)
{
	return !*name || name[0] == '$' || (name[0] == '.' && name[1] == 'L');
}

static uint8_t leading_underscores(const char *name)
{
	uint8_t n = 0;

	while (n < UINT8_MAX && name[n] == '_')
		n++;
	return n;
}

static uint8_t binding_rank(unsigned char info)
{
	switch (GELF_ST_BIND(info)) {
	case STB_LOCAL:
		return 0;
	case STB_WEAK:
		return 1;
	default:
		return 2;
	}
}

/* What may name code: functions, and untyped labels, which is what assembly often has. */
static bool names_code(unsigned char info)
{
	int type = GELF_ST_TYPE(info);

	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

/* STT_FILE entries stand before the local symbols of their file; an empty one ends that. */
static void note_file(struct table_source *table, const GElf_Sym *sym)
{
	const char *name = elf_strptr(table->elf, table->strings, sym->st_name);

	table->file = name && *name ? name : NULL;
}

static bool read_symbol(struct table_source *table, size_t index, struct entry *ret)
{
	GElf_Sym sym;
	GElf_Shdr section;
	Elf32_Word extended = 0;

	if (!gelf_getsymshndx(table->symbols, table->indices, (int)index, &sym, &extended))
		return false;
	if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
		note_file(table, &sym);
	if (!names_code(sym.st_info))
		return false;
	if (sym.st_shndx >= SHN_LORESERVE && sym.st_shndx != SHN_XINDEX)
		return false;
	index = sym.st_shndx == SHN_XINDEX ? extended : sym.st_shndx;
	if (!code_section(table, index, &section) ||
		sym.st_value < section.sh_addr ||
		sym.st_value - section.sh_addr >= section.sh_size)
		return false;
	const char *name = elf_strptr(table->elf, table->strings, sym.st_name);
	if (!name || private_label(name))
		return false;
	uint64_t room = section.sh_size - (sym.st_value - section.sh_addr);
	uint64_t start = sym.st_value + elf_image_base(table->image, index);
	*ret = (struct entry){
		.symbol = {start, start, name, NULL, table->source},
		.sized = sym.st_size > 0,
		.binding = binding_rank(sym.st_info),
		.underscores = leading_underscores(name),
		.length = (uint16_t)strnlen(name, LENGTH_MAX),
	};
	if (!ret->binding)
		ret->symbol.file = table->file;
	ret->symbol.end += sym.st_size && sym.st_size < room ? sym.st_size : room;
	return true;
}

static void read_table(
	struct entries *entries, const struct elf_image *image, unsigned type, enum frame_source source)
{
	Elf *elf = image->elf;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == type)
			break;
	if (!scn || !shdr.sh_entsize)
		return;
	struct table_source table = {image, elf, elf_getdata(scn, NULL),
		section_indices(elf, elf_ndxscn(scn)), shdr.sh_link, source, NULL};
	size_t n = shdr.sh_size / shdr.sh_entsize;
	for (size_t i = 1; table.symbols && i < n && entries->len < SYMBOLS_MAX; i++) {
		struct entry entry;

		if (!read_symbol(&table, i, &entry))
			continue;
		entry.order = (uint32_t)entries->len;
		vec_push(entries, entry);
	}
}

/* By start, then by end, then the better name first. */
static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->symbol.start != b->symbol.start)
		return a->symbol.start < b->symbol.start ? -1 : 1;
	if (a->sized != b->sized)
		return a->sized ? -1 : 1;
	if (a->symbol.end != b->symbol.end)
		return a->symbol.end < b->symbol.end ? -1 : 1;
	if (a->binding != b->binding)
		return a->binding > b->binding ? -1 : 1;
	if (a->underscores != b->underscores)
		return a->underscores < b->underscores ? -1 : 1;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Sized symbols first: a label counts only where they leave room. */
static void add_sized(struct symtab *symtab, const struct entries *entries)
{
	for (size_t i = 0; i < entries->len; i++) {
		const struct symbol *symbol = &entries->data[i].symbol;

		if (entries->data[i].sized)
			range_map_add(&symtab->sized, symbol->start, symbol->end, (uint32_t)i, 0);
		vec_push(&symtab->symbols, *symbol);
	}
	range_map_finish(&symtab->sized);
}

static void add_labels(struct symtab *symtab, const struct entries *entries)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = entries->len; i-- > 0;) {
		struct symbol *symbol = &symtab->symbols.data[i];

		if (entries->data[i].sized || range_map_find(&symtab->sized, symbol->start))
			continue;
		uint64_t sized = range_map_next(&symtab->sized, symbol->start);
		uint64_t end = next < sized ? next : sized;
		/* An alias of the label after it in the order; the better one comes first. */
		if (i && !entries->data[i - 1].sized &&
			entries->data[i - 1].symbol.start == symbol->start)
			end = symbol->start;
		else
			next = symbol->start;
		if (end < symbol->end)
			symbol->end = end;
		range_map_add(&symtab->labels, symbol->start, symbol->end, (uint32_t)i, 0);
	}
	range_map_finish(&symtab->labels);
}

struct symtab *symtab_create(const struct elf_image *image, const struct elf_image *debug)
{
	struct symtab *symtab = xcalloc(1, sizeof(*symtab));
	struct entries entries = {};

	if (debug)
		read_table(&entries, debug, SHT_SYMTAB, SOURCE_SYMTAB);
	read_table(&entries, image, SHT_SYMTAB, SOURCE_SYMTAB);
	read_table(&entries, image, SHT_DYNSYM, SOURCE_DYNSYM);
	vec_sort(&entries, compare_entries);
	add_sized(symtab, &entries);
	add_labels(symtab, &entries);
	vec_deinit(&entries);
	return symtab;
}

void symtab_destroy(struct symtab *symtab)
{
	if (!symtab)
		return;
	range_map_deinit(&symtab->sized);
	range_map_deinit(&symtab->labels);
	vec_deinit(&symtab->symbols);
	free(symtab);
}

const struct symbol *symtab_find(const struct symtab *symtab, uint64_t address)
{
	const struct range *range = range_map_find(&symtab->sized, address);

	if (!range)
		range = range_map_find(&symtab->labels, address);
	return range ? &symtab->symbols.data[range->value] : NULL;
}

const struct symbol *symtab_symbols(const struct symtab *symtab, size_t *n_ret)
{
	*n_ret = symtab->symbols.len;
	return symtab->symbols.data;
}
