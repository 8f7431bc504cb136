// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/unwind/tables.h"

#include <stdlib.h>
#include <string.h>

#include "debug/files/image_words.h"
#include "debug/sframe/section.h"
#include "debug/symbols/eh_frame.h"
#include "debug/unwind/sframe_rule.h"
#include "util/xalloc.h"

/* A section of CFI that has no table for searching. */
struct indexed {
	struct cfi cfi;
	struct cfi_index index;
	bool opened;
};

struct unwind_tables {
	const struct elf_image *image;
	struct sframe_section sframe;
	bool sframe_opened, has_table, has_sections;
	struct indexed eh_frame, debug_frame;
	struct sections *sections;
};

struct unwind_tables *unwind_tables_create(const struct elf_image *image)
{
	struct unwind_tables *tables = xcalloc(1, sizeof(*tables));

	tables->image = image;
	tables->has_table = eh_frame_has_table(image);
	return tables;
}

void unwind_tables_destroy(struct unwind_tables *tables)
{
	if (!tables)
		return;
	sframe_section_deinit(&tables->sframe);
	cfi_index_deinit(&tables->eh_frame.index);
	cfi_index_deinit(&tables->debug_frame.index);
	free(tables);
}

void unwind_tables_add_sections(struct unwind_tables *tables, struct sections *sections)
{
	tables->sections = sections;
	tables->has_sections = true;
}

bool unwind_tables_has_sections(const struct unwind_tables *tables)
{
	return tables->has_sections;
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

static const char *by_sframe(
	struct unwind_tables *tables, uint64_t address, struct unwind_rule *ret)
{
	const char *missing;
	const struct sframe *sframe = unwind_tables_sframe(tables, &missing);

	return sframe ? sframe_rule(sframe, tables->image->ehdr.e_machine, address, ret) : missing;
}

/* ---- CFI ------------------------------------------------------------------------------------ */

static unsigned word_of(const struct elf_image *image)
{
	return image->ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
}

static void open_index(
	struct indexed *section, struct slice bytes, uint64_t address, bool eh_frame, unsigned word)
{
	section->opened = true;
	section->cfi = (struct cfi){bytes, address, eh_frame, word};
	cfi_index_fill(&section->index, &section->cfi);
}

static void open_eh_frame(struct unwind_tables *tables)
{
	const struct elf_image *image = tables->image;
	uint64_t address = 0;
	struct slice bytes = {};

	if (image->ehdr.e_ident[EI_DATA] == ELFDATA2LSB && !elf_image_is_relocatable(image) &&
		elf_image_section(image, ".eh_frame", &address))
		bytes = image_bytes(image, address);
	open_index(&tables->eh_frame, bytes, address, true, word_of(image));
}

static const char *by_index(const struct unwind_tables *tables, const struct indexed *section,
	uint64_t address, struct unwind_rule *ret)
{
	struct cfi_fde fde;
	uint64_t offset;

	if (!cfi_index_find(&section->index, address, &offset) ||
		!cfi_fde(&section->cfi, offset, &fde))
		return "its CFI does not cover this code";
	return cfi_rule(&section->cfi, &fde, tables->image->ehdr.e_machine, address, ret);
}

static const char *by_eh_frame(
	struct unwind_tables *tables, uint64_t address, struct unwind_rule *ret)
{
	struct cfi_fde fde;
	struct cfi cfi;

	if (tables->has_table)
		return eh_frame_fde(tables->image, address, &cfi, &fde)
			       ? cfi_rule(&cfi, &fde, tables->image->ehdr.e_machine, address, ret)
			       : "its CFI does not cover this code";
	if (!tables->eh_frame.opened)
		open_eh_frame(tables);
	if (!tables->eh_frame.index.len)
		return "it has no CFI";
	return by_index(tables, &tables->eh_frame, address, ret);
}

static void open_debug_frame(struct unwind_tables *tables)
{
	struct slice bytes = {};

	if (tables->sections)
		bytes = sections_get(tables->sections, SECTION_FRAME);
	open_index(&tables->debug_frame, bytes, 0, false, word_of(tables->image));
}

static const char *by_debug_frame(
	struct unwind_tables *tables, uint64_t address, struct unwind_rule *ret)
{
	if (!tables->debug_frame.opened)
		open_debug_frame(tables);
	if (!tables->debug_frame.index.len)
		return "it has no CFI";
	return by_index(tables, &tables->debug_frame, address, ret);
}

const struct cfi_index *unwind_tables_index(
	struct unwind_tables *tables, enum unwind_source source, const struct cfi **cfi_ret)
{
	struct indexed *section =
		source == UNWIND_EH_FRAME ? &tables->eh_frame : &tables->debug_frame;

	if (!section->opened && section == &tables->eh_frame)
		open_eh_frame(tables);
	if (!section->opened && tables->has_sections)
		open_debug_frame(tables);
	*cfi_ret = &section->cfi;
	return &section->index;
}

static const char *by_cfi(
	struct unwind_tables *tables, uint64_t address, unsigned wanted, struct unwind_rule *ret)
{
	const char *wrong = "it has no CFI";

	if (wanted & UNWIND_EH_FRAME)
		wrong = by_eh_frame(tables, address, ret);
	if (wrong && wanted & UNWIND_DEBUG_FRAME && tables->has_sections) {
		const char *second = by_debug_frame(tables, address, ret);

		/* That there is no second is no news. */
		if (!second || tables->debug_frame.index.len)
			wrong = second;
	}
	return wrong;
}

const char *unwind_tables_rule(
	struct unwind_tables *tables, uint64_t address, unsigned wanted, struct unwind_rule *ret)
{
	const char *missing = NULL, *wrong = NULL;
	struct unwind_rule cfi;

	if (!unwind_machine(tables->image->ehdr.e_machine))
		return "unwinding is not known for its machine";
	if (wanted & UNWIND_SFRAME) {
		missing = by_sframe(tables, address, ret);
		if (!missing && (!ret->stub || !(wanted & UNWIND_CFI)))
			return NULL;
	}
	if (wanted & UNWIND_CFI) {
		wrong = by_cfi(tables, address, wanted, &cfi);
		if (!wrong)
			*ret = cfi;
		/* SFrame of a stub is better than nothing. */
		else if (wanted & UNWIND_SFRAME && !missing)
			wrong = NULL;
		return wrong;
	}
	return missing;
}
