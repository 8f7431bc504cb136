// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/inspection.h"

#include "debug/files/debug_file.h"
#include "debug/symbols/symbol_table.h"
#include "util/vec.h"

/* Returns the number of functions in the symbol table of TYPE. */
static uint64_t count_functions(const struct elf_image *image, unsigned type)
{
	const struct symbol_table table = symbol_table_open(image, type);
	uint64_t n = 0;

	for (size_t i = 1; i < table.n; i++) {
		const GElf_Sym sym = symbol_table_get(&table, i);

		n += sym.st_shndx != SHN_UNDEF && sym.st_name &&
		     (GELF_ST_TYPE(sym.st_info) == STT_FUNC ||
			     GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC);
	}
	return n;
}

static void fill_dwarf(const struct inspected_files *files, struct inspection *ret)
{
	ret->has_dwarf = debug_file_has_dwarf(files->holder);
	if (ret->has_dwarf && files->holder != files->image)
		ret->debug_path = files->holder->path;
	if (!files->dwarf || !ret->has_dwarf)
		return;
	ret->readable = true;
	ret->compression = sections_compression(files->sections, SECTION_INFO);
	dwarf_reader_summary(files->dwarf, &ret->dwarf);
}

static void fill_tables(const struct inspected_files *files, struct inspection *ret)
{
	struct unwind_tables *tables = files->tables;
	const struct elf_image *image = files->image;
	const struct coverage *all[] = {&ret->eh_frame, &ret->debug_frame, &ret->sframe};

	const struct unwind_machine *machine = unwind_machine(image->ehdr.e_machine);

	ret->code = coverage_code(image);
	ret->table = unwind_tables_sframe(tables, &ret->sframe_missing);
	ret->has_eh_frame = coverage_count(tables, image, UNWIND_EH_FRAME, &ret->eh_frame);
	ret->cfi_unread = unwind_tables_unread(tables);
	ret->has_debug_frame = coverage_count(tables, image, UNWIND_DEBUG_FRAME, &ret->debug_frame);
	(void)coverage_count(tables, image, UNWIND_SFRAME, &ret->sframe);
	for (size_t i = 0; i < array_len(all); i++)
		if (all[i]->bytes > (ret->best ? ret->best->bytes : 0))
			ret->best = all[i];
	ret->fp_walk = machine && machine->fp_walk &&
		       !(ret->best == &ret->debug_frame && unwind_tables_is_go(tables));
}

void inspection_fill(const struct inspected_files *files, struct inspection *ret)
{
	*ret = (struct inspection){.symtab = count_functions(files->image, SHT_SYMTAB),
		.dynsym = count_functions(files->image, SHT_DYNSYM),
		.debug_symtab = count_functions(files->debug, SHT_SYMTAB),
		.minidebug = count_functions(files->minidebug, SHT_SYMTAB),
		.go = files->go ? gopclntab_functions(files->go) : 0};
	fill_dwarf(files, ret);
	fill_tables(files, ret);
}
