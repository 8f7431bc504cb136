// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/data.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "debug/files/debug_file.h"
#include "debug/range_map.h"
#include "debug/source_path.h"
#include "debug/symbols/demangle.h"
#include "util/cleanup.h"
#include "util/order.h"
#include "util/vec.h"
#include "util/xalloc.h"
#include "object/elf_section.h"

/* Entries of DWARF that are looked at, how deep, and how long an array may be (libdw's own sizes). */
enum { DIES_MAX = 1 << 26, DEPTH_MAX = 32, SYMBOLS_MAX = 1 << 26 };

struct datum {
	uint64_t start, end;
	const char *name;
};

/* A variable with a fixed address. */
struct variable {
	uint64_t start;
	Dwarf_Off die;
};

struct data {
	const struct debug_options *options;
	struct arena *arena;
	struct elf_image *own; /* of the DWARF; NULL: none can be read */
	Dwarf *dwarf;
	uint64_t dies;
	struct VEC(struct datum) symbols;
	struct range_map map;		       /* values are indices into symbols */
	struct VEC(struct variable) variables; /* by start */
	struct source_paths paths;
};

/* ---- symbols -------------------------------------------------------------------------------- */

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

/* ---- DWARF ---------------------------------------------------------------------------------- */

static bool fixed_address(Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute attribute, address;
	Dwarf_Op *op;
	size_t n;

	if (!dwarf_attr(die, DW_AT_location, &attribute) ||
		dwarf_getlocation(&attribute, &op, &n) || n != 1)
		return false;
	if (op->atom == DW_OP_addr) {
		*ret = op->number;
		return true;
	}
	return (op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index) &&
	       !dwarf_getlocation_attr(&attribute, op, &address) && !dwarf_formaddr(&address, ret);
}

static bool holds_variables(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_module;
}

/* NOLINTNEXTLINE(misc-no-recursion) as deep as DEPTH_MAX */
static void add_variables(struct data *data, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);
		struct variable variable = {.die = dwarf_dieoffset(&die)};

		/* At 0 is what the linker dropped. */
		if (tag == DW_TAG_variable && fixed_address(&die, &variable.start) &&
			variable.start)
			vec_push(&data->variables, variable);
		else if (holds_variables(tag))
			add_variables(data, &die, depth + 1);
	} while (data->dies++ < DIES_MAX && !dwarf_siblingof(&die, &die));
}

COMPARE(compare_variables, struct variable,
	order_of(a->start, b->start) ?: order_of(a->die, b->die))

/* The file of HOLDER once more, if it is still the same; -1: it is not. */
static int open_again(const struct elf_image *holder)
{
	auto_fd int fd = holder->real
				 ? open(holder->real, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
				 : -1;
	struct stat now;

	if (fd < 0 || fstat(fd, &now) || now.st_dev != holder->stat.st_dev ||
		now.st_ino != holder->stat.st_ino || now.st_size != holder->stat.st_size)
		return -1;
	return take_fd(fd);
}

/* An image of its own: libdw inflates sections in the handle that it gets. */
static void read_dwarf(struct data *data, const struct elf_image *holder)
{
	Dwarf_CU *cu = NULL;
	uint8_t type;
	Dwarf_Die die;
	int fd = elf_image_is_relocatable(holder) || debug_file_unreadable(holder)
			 ? -1
			 : open_again(holder);

	if (fd < 0)
		return;
	auto_error struct error *error = elf_image_open(fd, holder->path, &data->own);
	data->dwarf = error ? NULL : dwarf_begin_elf(data->own->elf, DWARF_C_READ, NULL);
	while (data->dwarf && !dwarf_get_units(data->dwarf, cu, &cu, NULL, &type, &die, NULL))
		if (type == DW_UT_compile)
			add_variables(data, &die, 0);
	vec_sort(&data->variables, compare_variables);
}

struct data *data_create(const struct elf_image *image, const struct elf_image *holder,
	const struct debug_options *options, struct arena *arena)
{
	struct data *data = xcalloc(1, sizeof(*data));

	data->options = options;
	data->arena = arena;
	if (holder != image)
		add_symbols(data, holder, SHT_SYMTAB);
	add_symbols(data, image, SHT_SYMTAB);
	add_symbols(data, image, SHT_DYNSYM);
	range_map_finish(&data->map);
	read_dwarf(data, holder);
	return data;
}

void data_destroy(struct data *data)
{
	if (!data)
		return;
	dwarf_end(data->dwarf);
	elf_image_destroy(data->own);
	range_map_deinit(&data->map);
	vec_deinit(&data->symbols);
	vec_deinit(&data->variables);
	source_paths_deinit(&data->paths);
	free(data);
}

/* ---- lookups -------------------------------------------------------------------------------- */

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* True if the variable DIE, which begins at START, holds ADDRESS. */
static bool reaches(Dwarf_Die *die, uint64_t start, uint64_t address)
{
	Dwarf_Attribute attribute;
	Dwarf_Word size;
	Dwarf_Die type;

	return start == address ||
	       (dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
		       dwarf_formref_die(&attribute, &type) &&
		       !dwarf_aggregate_size(&type, &size) && address - start < size);
}

static void describe(struct data *data, Dwarf_Die *die, struct frame *frame)
{
	Dwarf_Die unit;
	int line = 0;
	const char *dir =
		dwarf_diecu(die, &unit, NULL, NULL) ? string_of(&unit, DW_AT_comp_dir) : NULL;

	frame->file = source_path(&data->paths, data->arena, dir, dwarf_decl_file(die));
	if (data->options->relative_names)
		frame->file = source_path_relative(dir, frame->file);
	if (!dwarf_decl_line(die, &line) && line > 0)
		frame->line = (uint32_t)line;
	if (frame->linkage)
		return;
	frame->linkage = string_of(die, DW_AT_linkage_name);
	if (!frame->linkage)
		frame->linkage = string_of(die, DW_AT_name);
}

bool data_find(struct data *data, uint64_t address, struct frame *ret)
{
	const struct range *range = range_map_find(&data->map, address);
	const struct datum *symbol = range ? &data->symbols.data[range->value] : NULL;
	uint64_t start = symbol ? symbol->start : address;
	size_t n = sorted_count(data->variables.data, data->variables.len, .start <= start);
	Dwarf_Die die;

	*ret = (struct frame){.linkage = symbol ? symbol->name : NULL};
	if (n && dwarf_offdie(data->dwarf, data->variables.data[n - 1].die, &die) &&
		(symbol ? data->variables.data[n - 1].start == start
			: reaches(&die, data->variables.data[n - 1].start, address))) {
		start = data->variables.data[n - 1].start;
		describe(data, &die, ret);
	}
	ret->function = ret->linkage;
	ret->offset = address - start;
	ret->has_offset = true;
	return ret->linkage != NULL;
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
