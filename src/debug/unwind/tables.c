// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/unwind/tables.h"

#include <stdlib.h>
#include <string.h>

#include "debug/files/sections.h"
#include "debug/sframe/sframe.h"
#include "debug/unwind/cfi.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* In bytes; no relocatable file has a larger .eh_frame. */
enum { SECTION_MAX = 1 << 30 };

/* A CFI section that has no search table. */
struct indexed {
	struct cfi cfi;
	struct cfi_index index;
	bool opened;
	uint8_t *relocated; /* copy, for relocatable files; NULL: none */
	/* why it could not be read; NULL if it could, or if there is no such section */
	const char *missing;
};

struct unwind_tables {
	const struct elf_image *image;
	struct sframe_section sframe;
	bool sframe_opened, has_table, has_sections, is_go;
	struct indexed eh_frame, debug_frame;
	struct sections *sections;
};

struct unwind_tables *unwind_tables_create(const struct elf_image *image)
{
	struct unwind_tables *tables = xnew(tables);

	tables->image = image;
	tables->has_table = eh_frame_has_table(image);
	return tables;
}

void unwind_tables_destroy(struct unwind_tables *tables)
{
	if (!tables)
		return;
	free(tables->sframe.relocated);
	vec_deinit(&tables->eh_frame.index);
	free(tables->eh_frame.relocated);
	vec_deinit(&tables->debug_frame.index);
	free(tables);
}

bool unwind_tables_add_sections(struct unwind_tables *tables, struct sections *sections)
{
	if (tables->has_sections)
		return false;
	tables->sections = sections;
	tables->is_go = elf_image_is_go(tables->image);
	return tables->has_sections = true;
}

/* ---- SFrame --------------------------------------------------------------------------------- */

const struct sframe *unwind_tables_sframe(struct unwind_tables *tables, const char **missing_ret)
{
	if (!tables->sframe_opened)
		sframe_section_open(tables->image, &tables->sframe);
	tables->sframe_opened = true;
	*missing_ret = tables->sframe.missing;
	return tables->sframe.missing ? NULL : &tables->sframe.sframe;
}

/* ---- CFI ------------------------------------------------------------------------------------ */

static void open_index(struct indexed *section, const struct elf_image *image, struct slice bytes,
	uint64_t address, bool eh_frame)
{
	section->opened = true;
	section->cfi = (struct cfi){bytes, address, eh_frame, elf_image_word(image)};
	cfi_index_fill(&section->index, &section->cfi);
}

static void open_eh_frame(struct unwind_tables *tables)
{
	const struct elf_image *image = tables->image;
	struct indexed *section = &tables->eh_frame;
	uint64_t address = 0;
	struct slice bytes = {};
	size_t index = 0;

	if (section->opened)
		return;
	if (elf_image_section(image, ".eh_frame", &address))
		bytes = image_bytes(image, address);
	if (bytes.len && elf_image_is_relocatable(image)) {
		/* use a relocated copy, as if it were at address 0 */
		while (index < image->n_bases && image->bases[index] != address)
			index++;
		if (bytes.len > SECTION_MAX)
			bytes.len = 0;
		else
			section->relocated = relocate_copy(image, index, bytes.data, bytes.len);
		if (bytes.len && !section->relocated) {
			section->missing = "it has relocations that are not known";
			bytes.len = 0;
		}
		bytes.data = section->relocated;
		address = 0;
	}
	open_index(section, image, bytes, address, true);
}

const char *unwind_tables_unread(const struct unwind_tables *tables)
{
	return tables->eh_frame.missing;
}

static const char *find_by_index(
	const struct indexed *section, uint64_t address, struct cfi_fde *ret)
{
	uint64_t offset;

	return cfi_index_find(&section->index, address, &offset) &&
			       cfi_fde(&section->cfi, offset, ret)
		       ? NULL
		       : "its CFI does not cover this code";
}

/* Returns NULL on success, else why there is no FDE. */
static const char *find_eh_frame(
	struct unwind_tables *tables, uint64_t address, struct cfi *cfi_ret, struct cfi_fde *ret)
{
	const struct indexed *section = &tables->eh_frame;

	if (tables->has_table)
		return eh_frame_fde(tables->image, address, cfi_ret, ret)
			       ? NULL
			       : "its CFI does not cover this code";
	open_eh_frame(tables);
	if (!section->index.len)
		return section->missing ? "its .eh_frame has relocations that are not known"
					: "it has no CFI";
	*cfi_ret = section->cfi;
	return find_by_index(section, address, ret);
}

bool unwind_tables_function(
	struct unwind_tables *tables, uint64_t address, uint64_t *start_ret, uint64_t *end_ret)
{
	struct cfi_fde fde;
	struct cfi cfi;

	if (find_eh_frame(tables, address, &cfi, &fde))
		return false;
	*start_ret = fde.start;
	*end_ret = fde.end;
	return true;
}

static void open_debug_frame(struct unwind_tables *tables)
{
	struct slice bytes = {};

	if (tables->debug_frame.opened)
		return;
	if (tables->sections)
		bytes = sections_get(tables->sections, SECTION_FRAME);
	open_index(&tables->debug_frame, tables->image, bytes, 0, false);
}

static const char *by_debug_frame(
	struct unwind_tables *tables, uint64_t address, struct unwind_rule *ret)
{
	open_debug_frame(tables);
	if (!tables->debug_frame.index.len)
		return "it has no CFI";
	struct cfi_fde fde;
	const struct indexed *section = &tables->debug_frame;
	const char *wrong = find_by_index(section, address, &fde);
	if (wrong)
		return wrong;
	wrong = cfi_rule(&section->cfi, &fde, tables->image->ehdr.e_machine, address, ret);
	if (wrong || !tables->is_go)
		return wrong;
	/*
	 * Go functions maintain frame pointers and change every other register, but Go's linker
	 * describes only SP and the return address: all other registers are UNDEFINED.
	 */
	const struct unwind_machine *machine = unwind_machine(ret->machine);
	for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
		if (ret->registers[i].kind == UNWIND_SAME && i != machine->ra)
			ret->registers[i].kind = UNWIND_UNDEFINED;
	return NULL;
}

const struct cfi_index *unwind_tables_index(
	struct unwind_tables *tables, enum unwind_source source, const struct cfi **cfi_ret)
{
	struct indexed *section =
		source == UNWIND_EH_FRAME ? &tables->eh_frame : &tables->debug_frame;

	if (source == UNWIND_EH_FRAME)
		open_eh_frame(tables);
	else if (tables->has_sections)
		open_debug_frame(tables);
	*cfi_ret = &section->cfi;
	return &section->index;
}

static const char *by_cfi(
	struct unwind_tables *tables, uint64_t address, unsigned wanted, struct unwind_rule *ret)
{
	const uint16_t machine = tables->image->ehdr.e_machine;
	const char *wrong = "it has no CFI";
	struct cfi_fde fde;
	struct cfi cfi;

	if (wanted & UNWIND_EH_FRAME) {
		wrong = find_eh_frame(tables, address, &cfi, &fde);
		if (!wrong)
			wrong = cfi_rule(&cfi, &fde, machine, address, ret);
	}
	if (wrong && wanted & UNWIND_DEBUG_FRAME && tables->has_sections) {
		const char *second = by_debug_frame(tables, address, ret);

		/* without .debug_frame, keep the reason from .eh_frame */
		if (!second || tables->debug_frame.index.len)
			wrong = second;
	}
	return wrong;
}

const char *unwind_tables_rule(
	struct unwind_tables *tables, uint64_t address, unsigned wanted, struct unwind_rule *ret)
{
	const uint16_t machine = tables->image->ehdr.e_machine;
	const char *missing = NULL;
	struct unwind_rule cfi;

	if (!unwind_machine(machine))
		return "unwinding is not known for its machine";
	if (wanted & UNWIND_SFRAME) {
		const struct sframe *sframe = unwind_tables_sframe(tables, &missing);

		if (sframe)
			missing = sframe_rule(sframe, machine, address, ret);
		if (!missing && (!ret->stub || !(wanted & UNWIND_CFI)))
			return NULL;
	}
	if (!(wanted & UNWIND_CFI))
		return missing;
	const char *wrong = by_cfi(tables, address, wanted, &cfi);
	if (!wrong)
		*ret = cfi;
	/* the SFrame rule of a stub is better than none */
	return wanted & UNWIND_SFRAME && !missing ? NULL : wrong;
}
