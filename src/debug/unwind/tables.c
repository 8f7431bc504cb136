// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/unwind/tables.h"

#include <stdlib.h>

#include "util/vec.h"

/* In bytes; no relocatable file has a larger .eh_frame. */
enum { SECTION_MAX = 1 << 30 };

void unwind_tables_deinit(struct unwind_tables *tables)
{
	free(tables->sframe.relocated);
	vec_deinit(&tables->eh_frame.index);
	free(tables->eh_frame.relocated);
	vec_deinit(&tables->debug_frame.index);
	sections_destroy(tables->sections);
}

bool unwind_tables_add_holder(struct unwind_tables *tables, const struct elf_image *holder)
{
	if (tables->has_holder)
		return false;
	tables->sections = sections_create(holder, SECTIONS_ANY);
	tables->is_go = elf_image_is_go(tables->image);
	return tables->has_holder = true;
}

/* ---- SFrame --------------------------------------------------------------------------------- */

const struct sframe_section *unwind_tables_sframe(struct unwind_tables *tables)
{
	if (!tables->sframe_opened)
		sframe_section_open(tables->image, &tables->sframe);
	tables->sframe_opened = true;
	return &tables->sframe;
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

static const char *find_by_index(
	const struct indexed *section, uint64_t address, struct cfi_fde *ret)
{
	uint64_t offset;

	return cfi_index_find(&section->index, address, &offset) &&
			       cfi_fde(&section->cfi, offset, ret)
		       ? NULL
		       : "its CFI does not cover this code";
}

const struct cfi_fde *unwind_tables_search(struct unwind_tables *tables, uint64_t address)
{
	struct cfi_fde *last = &tables->last, found;

	if (address >= last->start && address < last->end)
		return last;
	if (!eh_frame_fde(tables->image, address, &found))
		return NULL;
	*last = found;
	return last;
}

const char *unwind_tables_fde(struct unwind_tables *tables, uint64_t address, struct cfi_fde *ret)
{
	const struct indexed *section = &tables->eh_frame;
	const struct cfi_fde *found = unwind_tables_search(tables, address);

	if (found) {
		*ret = *found;
		return NULL;
	}
	if (eh_frame_has_table(tables->image))
		return "its CFI does not cover this code";
	open_eh_frame(tables);
	if (!section->index.len)
		return section->missing ? "its .eh_frame has relocations that are not known"
					: "it has no CFI";
	return find_by_index(section, address, ret);
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
	wrong = cfi_rule(&fde, tables->image->ehdr.e_machine, address, ret);
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

const struct indexed *unwind_tables_index(struct unwind_tables *tables, enum unwind_source source)
{
	if (source == UNWIND_EH_FRAME)
		open_eh_frame(tables);
	else
		open_debug_frame(tables);
	return source == UNWIND_EH_FRAME ? &tables->eh_frame : &tables->debug_frame;
}

const char *unwind_tables_rule(
	struct unwind_tables *tables, uint64_t address, unsigned wanted, struct unwind_rule *ret)
{
	const uint16_t machine = tables->image->ehdr.e_machine;
	const char *missing = NULL, *wrong = "it has no CFI";
	struct cfi_fde fde;

	if (!unwind_machine(machine))
		return "unwinding is not known for its machine";
	if (wanted & UNWIND_SFRAME) {
		const struct sframe_section *section = unwind_tables_sframe(tables);

		missing = section->missing ?: sframe_rule(&section->sframe, machine, address, ret);
		if (!missing && (!ret->stub || !(wanted & UNWIND_CFI)))
			return NULL;
	}
	if (!(wanted & UNWIND_CFI))
		return missing;
	if (wanted & UNWIND_EH_FRAME) {
		wrong = unwind_tables_fde(tables, address, &fde);
		if (!wrong)
			wrong = cfi_rule(&fde, machine, address, ret);
	}
	if (wrong && wanted & UNWIND_DEBUG_FRAME && tables->has_holder) {
		const char *second = by_debug_frame(tables, address, ret);

		/* without .debug_frame, keep the reason from .eh_frame */
		if (!second || tables->debug_frame.index.len)
			wrong = second;
	}
	/* the SFrame rule of a stub is better than none */
	return wanted & UNWIND_SFRAME && !missing ? NULL : wrong;
}
