// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/sframe/sframe.h"

#include <elf.h>
#include <inttypes.h>

#include "debug/files/sections.h"
#include "object/elf_section.h"
#include "util/stop.h"
#include "util/vec.h"

/* of binutils 2.40 and 2.45; not every elf.h has them */
enum { PT_SFRAME = 0x6474e554, SHT_SFRAME = 0x6ffffff4 };

/* more than a program of gigabytes needs */
enum { SECTION_MAX = 1 << 30 };

/* Returns true if SFRAME is for the machine of IMAGE. */
static bool fits(const struct sframe *sframe, const struct elf_image *image)
{
	switch (image->ehdr.e_machine) {
	case EM_X86_64:
		return sframe->abi == SFRAME_AMD64;
	case EM_AARCH64:
		return sframe->abi == SFRAME_AARCH64_LE || sframe->abi == SFRAME_AARCH64_BE;
	case EM_S390:
		return sframe->abi == SFRAME_S390X;
	default:
		return false;
	}
}

void sframe_section_open(const struct elf_image *image, struct sframe_section *ret)
{
	uint64_t address = 0;
	struct slice bytes = {};
	struct elf_section found = {};
	size_t next = 0;
	GElf_Phdr phdr;

	*ret = (struct sframe_section){};
	/* the program header remains when section headers are stripped */
	if (elf_segment_next(image->elf, PT_SFRAME, &next, &phdr)) {
		address = phdr.p_vaddr;
		bytes = image_bytes(image, address);
		if (bytes.len > phdr.p_filesz)
			bytes.len = phdr.p_filesz;
	}
	bool by_header = !bytes.len && (elf_section_next_of(image->elf, SHT_SFRAME, &found) ||
					       elf_section_find(image->elf, ".sframe", &found));
	if (by_header) {
		bytes = image_section(image, &found.header);
		address = found.header.sh_addr;
	}
	if (bytes.len > SECTION_MAX)
		bytes.len = 0;
	if (by_header && bytes.len && elf_image_is_relocatable(image)) {
		ret->relocated = relocate_copy(image, elf_ndxscn(found.scn), bytes.data, bytes.len);
		bytes.data = ret->relocated;
	}
	ret->missing = bytes.len && !bytes.data
			       ? "its SFrame section has relocations that are not known"
			       : sframe_open(bytes.data, bytes.len, address, &ret->sframe);
	/*
	 * In relocatable files starts count from their own field in all versions: only the linker
	 * makes them relative to the section, as versions 1 and 2 have them.
	 */
	if (ret->relocated)
		ret->sframe.from_field = true;
	if (!ret->missing && !fits(&ret->sframe, image))
		ret->missing = "its SFrame section is for another machine";
}

/* enough for a register and a 64-bit offset */
enum { PLACE_MAX = 48 };

/* Returns the text of PLACE, which may be in TEXT. FLEXIBLE: put saved values in parentheses. */
static const char *place_text(const struct sframe_place *place, bool flexible, char text[PLACE_MAX])
{
	static const char *const kinds[] = {
		[SFRAME_SAME] = "u", [SFRAME_FIXED] = "f", [SFRAME_PADDING] = "U"};
	static const char *const bases[] = {
		[SFRAME_SP] = "sp", [SFRAME_FP] = "fp", [SFRAME_CFA] = "c"};
	char reg[8];

	if (place->kind != SFRAME_PLACE)
		return kinds[place->kind];
	snprintf(reg, sizeof(reg), "r%u", place->reg);
	bool memory = flexible && place->deref;
	snprintf(text, PLACE_MAX, "%s%s%+" PRId64 "%s", memory ? "(" : "",
		place->base == SFRAME_REGISTER ? reg : bases[place->base], place->offset,
		memory ? ")" : "");
	return text;
}

/*
 * Prints function I. N_ROWS counts the rows of all functions so far: stop at the number in the
 * header, since broken functions that share rows could print them again and again.
 */
static void print_function(const struct sframe *sframe, uint32_t i, const struct elf_image *image,
	uint64_t *n_rows, FILE *out)
{
	struct sframe_function function;
	struct sframe_row row;

	if (!sframe_function(sframe, i, &function) ||
		(*n_rows += function.n_rows) > sframe->n_rows) {
		fprintf(out, "\n    func idx [%u]: broken\n", i);
		return;
	}
	uint64_t start = elf_image_section_offset(image, function.start);
	fprintf(out, "\n    func idx [%u]: pc = 0x%" PRIx64 ", size = %u bytes%s", i, start,
		function.size, function.key_b ? ", pauth = B key" : "");
	if (function.signal_frame || function.flexible)
		fprintf(out, ", attr = \"%s%s\"", function.signal_frame ? "S" : "",
			function.flexible ? "F" : "");
	fprintf(out, "\n    %-16sCFA       FP        RA\n",
		function.block ? "STARTPC[m]" : "STARTPC");
	struct sframe_rows rows = sframe_rows(sframe, &function);
	while (sframe_rows_next(&rows, &row)) {
		char cfa[PLACE_MAX], fp[PLACE_MAX], ra[PLACE_MAX];
		uint64_t address = function.block ? row.start : start + row.start;

		fprintf(out, "    %016" PRIx64 "  ", address);
		if (row.outermost)
			fprintf(out, "RA undefined\n");
		else
			fprintf(out, "%-10s%-10s%s%s\n",
				place_text(&row.cfa, function.flexible, cfa),
				place_text(&row.fp, function.flexible, fp),
				place_text(&row.ra, function.flexible, ra),
				row.mangled ? "[s]" : "");
	}
	if (rows.broken || function.unknown)
		fprintf(out, "    %s\n", rows.broken ? "broken rows" : "rows of an unknown type");
}

void sframe_print(const struct sframe *sframe, const struct elf_image *image, FILE *out)
{
	static const struct {
		unsigned flag;
		const char *name;
	} names[] = {
		{SFRAME_SORTED, "SFRAME_F_FDE_SORTED"},
		{SFRAME_FRAME_POINTER, "SFRAME_F_FRAME_POINTER"},
		{SFRAME_PCREL, "SFRAME_F_FDE_FUNC_START_PCREL"},
	};
	const char *before = "";
	uint64_t n_rows = 0;

	fprintf(out, "Contents of the SFrame section .sframe:\n  Header :\n\n");
	fprintf(out, "    Version: SFRAME_VERSION_%u\n    Flags: ", sframe->version);
	array_each(name, names, array_len(names))
		if (sframe->flags & name->flag) {
			fprintf(out, "%s%s", before, name->name);
			before = ",\n           ";
		}
	fprintf(out, "%s\n", sframe->flags ? "" : "NONE");
	if (sframe->fixed_fp)
		fprintf(out, "    CFA fixed FP offset: %d\n", sframe->fixed_fp);
	if (sframe->fixed_ra)
		fprintf(out, "    CFA fixed RA offset: %d\n", sframe->fixed_ra);
	fprintf(out, "    Num FDEs: %u\n    Num FREs: %u\n\n  Function Index :\n",
		sframe->n_functions, sframe->n_rows);
	for (uint32_t i = 0; i < sframe->n_functions && !stop_asked() && !ferror(out); i++)
		print_function(sframe, i, image, &n_rows, out);
}
