// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "debug/names/short_name.h"
#include "debug/names/shown_names.h"
#include "debug/range_map.h"
#include "debug/symbols/demangle.h"
#include "debug/symbols/symbol_table.h"
#include "object/elf_section.h"
#include "util/cleanup.h"
#include "util/sort.h"
#include "util/stop.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* Names are compared by length, up to LENGTH_MAX bytes, so that huge ones cost nothing. */
enum { SYMBOLS_MAX = 1 << 28, LENGTH_MAX = 1024 };
/* With more addresses or more calls, sorting all symbols is faster. */
enum { WANTED_MAX = 1 << 11, SWEEPS_MAX = 4 };

/* A symbol as read: its END may change, and an alias may be preferred. */
struct symtab_entry {
	struct symbol symbol; /* `end`: that of its section, if it has no size */
	uint8_t binding;      /* 3 global, 2 weak, 1 local, 0 border between functions */
	uint8_t underscores;
	uint16_t length;
};

/* The symbols read: all, or those that the wanted addresses may need. */
struct symtab {
	const struct elf_image *image, *debug; /* DEBUG is NULL if there is none */
	struct entry_points *points;	       /* NULL if symbol values are addresses of code */
	struct VEC(struct symbol) symbols;
	struct range_map sized;	 /* values are indices into SYMBOLS */
	struct range_map labels; /* labels outside sized symbols, or exported ones inside */
	uint32_t order;		 /* symbols read so far */
	unsigned sweeps;	 /* passes over the tables for a few addresses */
	bool whole;		 /* all symbols are read */
	bool any;		 /* the files have symbols */
};

struct entries VEC(struct symtab_entry);

/*
 * Symbols between two wanted addresses, or before the first. They matter only to the addresses
 * after them. Among the labels only the best one at the highest address matters. Among the sized
 * symbols that end before the next wanted address, only the one that ends last matters: a label
 * before its end does not reach that address.
 */
struct gap {
	struct symtab_entry label, sized; /* no name: none */
};

struct wanted_addresses {
	const uint64_t *addresses; /* sorted; NULL if all symbols are wanted */
	size_t n;
	struct gap *gaps; /* gaps[i] is before addresses[i] */
};

struct table_source {
	struct symbol_table symbols;
	const struct entry_points *points;
	Elf_Data *indices; /* SHT_SYMTAB_SHNDX, usually NULL */
	enum frame_source source;
	const char *file; /* source file of the local symbols that follow; NULL or "": unknown */
	uint32_t unit;	  /* index of the STT_FILE symbol with FILE; 0: none */
	uint32_t order;	  /* position of the current symbol in all tables */
};

/*
 * Classifies a symbol; only untyped ones can be markers. Linkers make __start_SECTION and
 * __stop_SECTION, which mark borders.
 */
static enum marker symbol_marker(const GElf_Sym *sym, const char *name)
{
	if (GELF_ST_TYPE(sym->st_info) != STT_NOTYPE)
		return *name ? MARKER_NONE : MARKER_INSIDE;
	if (!strncmp(name, "__start_", 8) || !strncmp(name, "__stop_", 7))
		return MARKER_BORDER;
	return marker_of(name, strnlen(name, LENGTH_MAX));
}

/* Returns the section of symbol INDEX, SHN_UNDEF if it has none. */
static size_t symbol_section(const struct table_source *table, const GElf_Sym *sym, size_t index)
{
	GElf_Sym copy;
	Elf32_Word extended = SHN_UNDEF;

	if (sym->st_shndx < SHN_LORESERVE)
		return sym->st_shndx;
	if (sym->st_shndx == SHN_XINDEX)
		gelf_getsymshndx((Elf_Data *)(uintptr_t)table->symbols.data, table->indices,
			(int)index, &copy, &extended);
	return extended;
}

/* A symbol and where its code is. */
struct located {
	GElf_Sym sym; /* st_value is the ELF address of the code */
	size_t section;
	uint64_t base; /* what was added to st_value: in relocatable files it counts from SECTION */
	uint64_t start, end; /* the code's section; set by symbol_bounds() unless FOLLOWED */
	bool followed;	     /* by a descriptor */
};

/* Finds the range of the section with the symbol's code. Returns false if the code is in none. */
static bool symbol_bounds(const struct table_source *table, struct located *located)
{
	const uint64_t value = located->sym.st_value;
	GElf_Shdr section;

	if (!located->followed) {
		const size_t index = located->section;
		Elf_Scn *scn =
			index == SHN_UNDEF ? NULL : elf_getscn(table->symbols.image->elf, index);

		if (!scn || !gelf_getshdr(scn, &section) || !(section.sh_flags & SHF_ALLOC) ||
			!(section.sh_flags & SHF_EXECINSTR))
			return false;
		located->start = section.sh_addr + located->base;
		located->end = located->start + section.sh_size;
	}
	return value >= located->start && value - located->start < located->end - located->start;
}

/* Returns false if the symbol names no code. */
static bool read_symbol(
	const struct table_source *table, struct located *located, struct symtab_entry *ret)
{
	const GElf_Sym *sym = &located->sym;

	if (!symbol_bounds(table, located))
		return false;
	const char *name = symbol_table_name(&table->symbols, sym);
	if (name && GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		name = entry_point_name(table->points, name);
	enum marker marker = name ? symbol_marker(sym, name) : MARKER_INSIDE;
	if (marker == MARKER_INSIDE)
		return false;
	uint64_t room = located->end - sym->st_value;
	int binding = GELF_ST_BIND(sym->st_info);
	uint8_t underscores = 0;
	while (underscores < UINT8_MAX && name[underscores] == '_')
		underscores++;
	*ret = (struct symtab_entry){
		.symbol = {.start = sym->st_value,
			.end = sym->st_value,
			.name = marker == MARKER_BORDER ? "" : name,
			.source = table->source,
			.order = table->order,
			.sized = marker == MARKER_NONE && sym->st_size > 0},
		.binding = marker == MARKER_BORDER ? 0
			   : binding == STB_LOCAL  ? 1
			   : binding == STB_WEAK   ? 2
						   : 3,
		.underscores = underscores,
		.length = (uint16_t)strnlen(name, LENGTH_MAX),
	};
	ret->symbol.local = ret->binding == 1;
	ret->symbol.unit = ret->symbol.local ? table->unit : 0;
	if (ret->symbol.local && table->file && *table->file)
		ret->symbol.file = table->file;
	ret->symbol.end += ret->symbol.sized && sym->st_size < room ? sym->st_size : room;
	return true;
}

/* By start, then sized symbols first, then by end, then the better name first. */
COMPARE(compare_entries, struct symtab_entry,
	order_of(a->symbol.start, b->symbol.start)
	?: order_of(b->symbol.sized, a->symbol.sized)
	?: order_of(a->symbol.end, b->symbol.end)
	?: order_of(b->binding, a->binding)
	?: order_of(a->underscores, b->underscores)
	?: order_of(a->length, b->length)
	?: order_of(a->symbol.order, b->symbol.order))

/* Returns false if the symbol certainly matters to no address, given what GAP already has. */
static bool may_matter(const struct gap *gap, const GElf_Sym *sym)
{
	if (sym->st_size)
		return !gap->sized.symbol.name || sym->st_value > UINT64_MAX - sym->st_size ||
		       sym->st_value + sym->st_size > gap->sized.symbol.end;
	return !gap->label.symbol.name || sym->st_value >= gap->label.symbol.start;
}

/* Takes a symbol if a wanted address needs it. */
static void take_wanted(struct entries *entries, const struct wanted_addresses *wanted,
	const struct table_source *table, struct located *located)
{
	const GElf_Sym *sym = &located->sym;
	size_t number = sorted_count(wanted->addresses, wanted->n, < sym->st_value);
	struct symtab_entry entry;

	if (number == wanted->n)
		return;
	const uint64_t address = wanted->addresses[number];
	struct gap *gap = &wanted->gaps[number];
	struct symtab_entry *label = &gap->label, *sized = &gap->sized;
	bool reaches = sym->st_size && address - sym->st_value < sym->st_size;
	if ((!reaches && !may_matter(gap, sym)) || !read_symbol(table, located, &entry))
		return;
	if (entry.symbol.sized && entry.symbol.end > address) {
		vec_push(entries, entry);
	} else if (entry.symbol.sized) {
		if (!sized->symbol.name || entry.symbol.end > sized->symbol.end)
			*sized = entry;
	} else if (!label->symbol.name || entry.symbol.start > label->symbol.start ||
		   (entry.symbol.start == label->symbol.start &&
			   compare_entries(&entry, label) < 0)) {
		*label = entry;
	}
}

static void read_table(struct symtab *symtab, struct entries *entries,
	const struct wanted_addresses *wanted, const struct elf_image *image, unsigned kind)
{
	struct table_source table = {.symbols = symbol_table_open(image, kind),
		.points = symtab->points,
		.source = kind == SHT_DYNSYM ? SOURCE_DYNSYM : SOURCE_SYMTAB,
		.order = symtab->order};
	struct symtab_entry entry;

	if (table.symbols.n)
		table.indices = elf_section_indices(image->elf, table.symbols.section);
	for (size_t i = 1; i < table.symbols.n && table.order < SYMBOLS_MAX && !stop_asked(); i++) {
		struct located located = {.sym = symbol_table_get(&table.symbols, i)};
		GElf_Sym *sym = &located.sym;
		int type = GELF_ST_TYPE(sym->st_info);

		/* STT_FILE precedes the local symbols of its file; one without name ends them */
		if (type == STT_FILE) {
			table.file = symbol_table_name(&table.symbols, sym);
			table.unit = (uint32_t)i;
		}
		/* untyped symbols may name code: they are common in assembly */
		if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
			sym->st_shndx == SHN_UNDEF)
			continue;
		table.order++;
		located.section = symbol_section(&table, sym, i);
		if (image->ehdr.e_type == ET_REL)
			located.base = elf_image_base(image, located.section);
		sym->st_value += located.base;
		located.followed = entry_point_follow(
			table.points, &sym->st_value, &located.start, &located.end);
		if (!wanted->addresses || !symtab->any) {
			bool good = read_symbol(&table, &located, &entry);

			symtab->any |= good;
			if (good && !wanted->addresses)
				vec_push(entries, entry);
		}
		if (wanted->addresses && symtab->any)
			take_wanted(entries, wanted, &table, &located);
	}
	symtab->order = table.order;
}

static void add_labels(struct symtab *symtab)
{
	struct symbol *symbols = symtab->symbols.data;
	uint64_t next = UINT64_MAX;

	for (size_t i = symtab->symbols.len; i-- > 0;) {
		struct symbol *symbol = &symbols[i];

		if (symbol->sized)
			continue;
		/* inside a sized symbol, a global label covers only its own address, a local none */
		const struct range *around = range_map_find(&symtab->sized, symbol->start);
		uint64_t sized = symbol->start;
		if (!around)
			sized = range_map_next(&symtab->sized, symbol->start);
		else if (!symbol->local && symbols[around->value].start < symbol->start)
			sized++;
		uint64_t end = next < sized ? next : sized;
		/* an alias covers nothing: the better label is the one before it */
		if (i && !symbol[-1].sized && symbol[-1].start == symbol->start)
			end = symbol->start;
		else
			next = symbol->start;
		if (end < symbol->end)
			symbol->end = end;
		if (*symbol->name)
			range_map_add(&symtab->labels, symbol->start, symbol->end, (uint32_t)i, 0);
	}
	range_map_finish(&symtab->labels);
}

struct symtab *symtab_create(const struct elf_image *image, const struct elf_image *debug)
{
	struct symtab *symtab = xnew(symtab);

	symtab->image = image;
	symtab->debug = debug;
	symtab->points = entry_points_create(image, debug);
	return symtab;
}

/* Reads the tables, preferred ones first (for equal names): debug file, .symtab, .dynsym. */
static void symtab_read(struct symtab *symtab, const struct wanted_addresses *wanted)
{
	struct entries entries = {};

	vec_deinit(&symtab->sized);
	vec_deinit(&symtab->labels);
	symtab->symbols.len = 0;
	symtab->order = 0;
	read_table(symtab, &entries, wanted, symtab->debug, SHT_SYMTAB);
	read_table(symtab, &entries, wanted, symtab->image, SHT_SYMTAB);
	read_table(symtab, &entries, wanted, symtab->image, SHT_DYNSYM);
	array_each(gap, wanted->gaps, wanted->n) {
		if (gap->label.symbol.name)
			vec_push(&entries, gap->label);
		if (gap->sized.symbol.name)
			vec_push(&entries, gap->sized);
	}
	radix_sort_by(entries.data, entries.len, sizeof(*entries.data), compare_entries);
	/* first sized symbols: labels count only in the gaps between them */
	for (size_t i = 0; i < entries.len; i++) {
		const struct symbol *symbol = &entries.data[i].symbol;

		if (symbol->sized)
			range_map_add(&symtab->sized, symbol->start, symbol->end, (uint32_t)i, 0);
		vec_push(&symtab->symbols, *symbol);
	}
	range_map_finish(&symtab->sized);
	add_labels(symtab);
	vec_deinit(&entries);
}

static void symtab_read_all(struct symtab *symtab)
{
	if (!symtab->whole)
		symtab_read(symtab, &(struct wanted_addresses){});
	symtab->whole = true;
}

void symtab_want(struct symtab *symtab, const uint64_t *addresses, size_t n)
{
	if (symtab->whole || !n)
		return;
	if (symtab->sweeps++ >= SWEEPS_MAX || n > WANTED_MAX) {
		symtab_read_all(symtab);
		return;
	}
	struct gap *gaps = xcalloc(n, sizeof(*gaps));
	symtab_read(symtab, &(struct wanted_addresses){addresses, n, gaps});
	free(gaps);
}

bool symtab_empty(const struct symtab *symtab)
{
	return !symtab->any;
}

void symtab_destroy(struct symtab *symtab)
{
	if (!symtab)
		return;
	vec_deinit(&symtab->sized);
	vec_deinit(&symtab->labels);
	vec_deinit(&symtab->symbols);
	entry_points_destroy(symtab->points);
	free(symtab);
}

const struct symbol *symtab_find(const struct symtab *symtab, uint64_t address)
{
	const struct range *range = range_map_find(&symtab->labels, address);

	if (!range)
		range = range_map_find(&symtab->sized, address);
	return range ? &symtab->symbols.data[range->value] : NULL;
}

bool symtab_has(struct symtab *symtab, uint64_t start, const char *name)
{
	size_t i, len = strlen(name);

	symtab_read_all(symtab);
	i = sorted_count(symtab->symbols.data, symtab->symbols.len, .start < start);
	for (; i < symtab->symbols.len && symtab->symbols.data[i].start == start; i++) {
		const char *own = symtab->symbols.data[i].name;

		if (!strncmp(own, name, len) && (!own[len] || !strncmp(own + len, ".llvm.", 6)))
			return true;
	}
	return false;
}

const struct symbol *symtab_symbols(struct symtab *symtab, size_t *n_ret)
{
	symtab_read_all(symtab);
	*n_ret = symtab->symbols.len;
	return symtab->symbols.data;
}

/* ---- by name -------------------------------------------------------------------------------- */

static bool is_called(const char *symbol, const char *name, enum symbol_form form)
{
	/* of copies of functions, and of Go's in assembly; parts (".cold") are no copies */
	static const char *const suffixes[] = {
		".isra.", ".constprop.", ".llvm.", ".lto_priv.", ".abi0"};
	if (form == SYMBOL_AS_IN_FILE)
		return !strcmp(symbol, name);
	if (form == SYMBOL_CLONE) {
		const size_t len = strlen(name);

		symbol = strchr(name, '/') ? symbol : short_name_go(symbol);
		if (strncmp(symbol, name, len) != 0 || strstr(symbol + len, ".cold"))
			return false;
		array_each(suffix, suffixes, array_len(suffixes))
			if (!strncmp(symbol + len, *suffix, strlen(*suffix)))
				return true;
		return false;
	}
	if (form == SYMBOL_SHORT)
		return shown_name_is(symbol, name);
	auto_free char *s = demangle(symbol);
	return s && !strcmp(s, name);
}

void symbol_search_each(struct symtab *symtab, const char *name, enum symbol_form form,
	void (*found)(void *context, const struct symbol *symbol), void *context)
{
	symtab_read_all(symtab);
	vec_each(symbol, &symtab->symbols)
		if (is_called(symbol->name, name, form))
			found(context, symbol);
}

uint64_t symbol_search_next(struct symtab *symtab, uint64_t start)
{
	size_t n;
	const struct symbol *all = symtab_symbols(symtab, &n);
	size_t next = sorted_count(all, n, .start <= start);

	return next < n ? all[next].start : UINT64_MAX;
}

const struct symbol *symbol_search_sample(struct symtab *symtab, unsigned i, unsigned n)
{
	size_t len;
	const struct symbol *all = symtab_symbols(symtab, &len);

	return len ? &all[len / n * i + len % n * i / n] : NULL;
}
