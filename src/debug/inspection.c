// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/inspection.h"

#include "debug/symbols/symbol_table.h"
#include "debug/sframe/sframe.h"
#include "object/elf_section.h"
#include "util/stop.h"
#include "util/vec.h"

/* ---- coverage ------------------------------------------------------------------------------- */

/*
 * Limit on the bytes of tables read: each row is looked up anew, from the first of its function.
 * The largest libraries take a few hundred million.
 */
static const uint64_t WORK_MAX = 1ULL << 31;
enum { ROW_LEN = 8 };

struct count {
	const struct elf_image *image;
	uint64_t text, text_end; /* range of .text; empty: all code counts */
	uint64_t work, last;	 /* LAST: code before it is counted already */
	struct coverage total;
};

/* The table rows of a function. */
struct rows_of {
	const struct sframe *sframe; /* NULL: by CFI */
	struct cfi_fde fde;
	uint64_t len; /* bytes read for each lookup */
};

static uint64_t overlap(uint64_t start, uint64_t end, uint64_t other, uint64_t other_end)
{
	start = start > other ? start : other;
	end = end < other_end ? end : other_end;
	return start < end ? end - start : 0;
}

/* Returns how many bytes of [START, END) are code. */
static uint64_t in_code(const struct count *count, uint64_t start, uint64_t end)
{
	uint64_t bytes = 0;

	if (count->text_end)
		return overlap(start, end, count->text, count->text_end);
	array_each(load, count->image->loads, count->image->n_loads)
		if (load->p_flags & PF_X)
			bytes += overlap(start, end, load->p_vaddr, load->p_vaddr + load->p_memsz);
	return bytes;
}

static void add_function(
	struct count *count, const struct rows_of *rows, uint64_t start, uint64_t end)
{
	uint64_t from = start > count->last ? start : count->last, fp_bytes = count->total.fp_bytes;
	uint64_t bytes = in_code(count, from, end);
	uint16_t machine = count->image->ehdr.e_machine;
	struct unwind_rule rule;

	if (!bytes)
		return;
	count->total.functions++;
	count->total.bytes += bytes;
	for (uint64_t at = from; at < end; at = rule.end) {
		const char *missing = rows->sframe ? sframe_rule(rows->sframe, machine, at, &rule)
						   : cfi_rule(&rows->fde, machine, at, &rule);

		if (missing)
			break;
		count->work += rows->len;
		if (rule.end <= at || count->work > WORK_MAX || stop_asked()) {
			count->total.cut = true;
			break;
		}
		if (unwind_fp_walk(&rule) == UNWIND_FP_RIGHT)
			count->total.fp_bytes += in_code(count, at, rule.end);
	}
	count->total.fp_functions += count->total.fp_bytes > fp_bytes;
	count->last = end;
}

/* Returns what SFRAME covers. COUNT has counted nothing yet. */
static struct coverage count_sframe(struct count count, const struct sframe *sframe)
{
	for (uint32_t i = 0; i < sframe->n_functions && !count.total.cut; i++) {
		struct rows_of rows = {.sframe = sframe};
		struct sframe_function function;

		if (!sframe_function(sframe, i, &function))
			continue;
		/* functions in the table of a .o are not sorted */
		if (!(sframe->flags & SFRAME_SORTED)) {
			count.last = 0;
			count.work += (uint64_t)i * ROW_LEN;
		}
		rows.len = (uint64_t)function.n_rows * ROW_LEN;
		add_function(&count, &rows, function.start, function.start + function.size);
	}
	return count.total;
}

/* Does the same for the CFI of SOURCE. Returns false if there is none. */
static bool count_cfi(struct count count, struct unwind_tables *tables, enum unwind_source source,
	struct coverage *ret)
{
	const struct indexed *section = unwind_tables_index(tables, source);

	for (size_t i = 0; i < section->index.len && !count.total.cut; i++) {
		struct rows_of rows = {};

		if (!cfi_fde(&section->cfi, section->index.data[i].offset, &rows.fde))
			continue;
		rows.len = cursor_left(&rows.fde.program) + cursor_left(&rows.fde.cie.program) + 1;
		add_function(&count, &rows, rows.fde.start, rows.fde.end);
	}
	*ret = count.total;
	return section->index.len;
}

/* ---- the file ------------------------------------------------------------------------------- */

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

void inspection_fill(const struct inspected_files *files, struct inspection *ret)
{
	struct unwind_tables *tables = files->tables;
	const struct elf_image *image = tables->image;
	const struct coverage *all[] = {&ret->eh_frame, &ret->debug_frame, &ret->sframe};
	const struct unwind_machine *machine = unwind_machine(image->ehdr.e_machine);
	struct count count = {.image = image};
	struct elf_section text;

	*ret = (struct inspection){.symtab = count_functions(image, SHT_SYMTAB),
		.dynsym = count_functions(image, SHT_DYNSYM),
		.debug_symtab = count_functions(files->debug, SHT_SYMTAB),
		.minidebug = count_functions(files->minidebug, SHT_SYMTAB),
		.go = files->go ? files->go->layout.n_functions : 0};
	ret->has_dwarf = elf_image_has_dwarf(files->holder);
	if (ret->has_dwarf && files->holder != image)
		ret->debug_path = files->holder->path;
	if (ret->has_dwarf && files->dwarf) {
		ret->readable = true;
		ret->compression = sections_compression(files->dwarf->dwarf->sections);
		ret->dwarf = dwarf_reader_summary(files->dwarf);
	}
	if (!elf_image_is_relocatable(image) && elf_section_find(image->elf, ".text", &text) &&
		text.header.sh_addr + text.header.sh_size >= text.header.sh_addr) {
		count.text = text.header.sh_addr;
		count.text_end = text.header.sh_addr + text.header.sh_size;
	}
	ret->code = in_code(&count, 0, UINT64_MAX);
	const struct sframe_section *sframe = unwind_tables_sframe(tables);
	ret->sframe_missing = sframe->missing;
	ret->table = sframe->missing ? NULL : &sframe->sframe;
	ret->has_eh_frame = count_cfi(count, tables, UNWIND_EH_FRAME, &ret->eh_frame);
	ret->cfi_unread = tables->eh_frame.missing;
	ret->has_debug_frame = count_cfi(count, tables, UNWIND_DEBUG_FRAME, &ret->debug_frame);
	if (ret->table)
		ret->sframe = count_sframe(count, ret->table);
	for (size_t i = 0; i < array_len(all); i++)
		if (all[i]->bytes > (ret->best ? ret->best->bytes : 0))
			ret->best = all[i];
	ret->fp_walk = machine && machine->fp_walk &&
		       !(ret->best == &ret->debug_frame && elf_image_is_go(image));
}
