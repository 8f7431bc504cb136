// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/sframe/print.h"

#include <inttypes.h>

#include "util/stop.h"
#include "util/vec.h"

/* enough for a register and a 64-bit offset */
enum { PLACE_MAX = 48 };

static void print_flags(const struct sframe *sframe, FILE *out)
{
	static const struct {
		unsigned flag;
		const char *name;
	} names[] = {
		{SFRAME_SORTED, "SFRAME_F_FDE_SORTED"},
		{SFRAME_FRAME_POINTER, "SFRAME_F_FRAME_POINTER"},
		{SFRAME_PCREL, "SFRAME_F_FDE_FUNC_START_PCREL"},
	};
	const char *before = "    Flags: ";

	for (size_t i = 0; i < array_len(names); i++)
		if (sframe->flags & names[i].flag) {
			fprintf(out, "%s%s", before, names[i].name);
			before = ",\n           ";
		}
	fprintf(out, "%s\n", sframe->flags ? "" : "    Flags: NONE");
}

static void print_header(const struct sframe *sframe, FILE *out)
{
	fprintf(out, "Contents of the SFrame section .sframe:\n  Header :\n\n");
	fprintf(out, "    Version: SFRAME_VERSION_%u\n", sframe->version);
	print_flags(sframe, out);
	if (sframe->fixed_fp)
		fprintf(out, "    CFA fixed FP offset: %d\n", sframe->fixed_fp);
	if (sframe->fixed_ra)
		fprintf(out, "    CFA fixed RA offset: %d\n", sframe->fixed_ra);
	fprintf(out, "    Num FDEs: %u\n    Num FREs: %u\n\n  Function Index :\n",
		sframe->n_functions, sframe->n_rows);
}

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

static void print_row(const struct sframe_function *function, uint64_t start,
	const struct sframe_row *row, FILE *out)
{
	char cfa[PLACE_MAX], fp[PLACE_MAX], ra[PLACE_MAX];
	uint64_t address = function->block ? row->start : start + row->start;

	fprintf(out, "    %016" PRIx64 "  ", address);
	if (row->outermost)
		fprintf(out, "RA undefined\n");
	else
		fprintf(out, "%-10s%-10s%s%s\n", place_text(&row->cfa, function->flexible, cfa),
			place_text(&row->fp, function->flexible, fp),
			place_text(&row->ra, function->flexible, ra), row->mangled ? "[s]" : "");
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
	while (sframe_rows_next(&rows, &row))
		print_row(&function, start, &row, out);
	if (rows.broken || function.unknown)
		fprintf(out, "    %s\n", rows.broken ? "broken rows" : "rows of an unknown type");
}

void sframe_print(const struct sframe *sframe, const struct elf_image *image, FILE *out)
{
	uint64_t n_rows = 0;

	print_header(sframe, out);
	for (uint32_t i = 0; i < sframe->n_functions && !stop_asked() && !ferror(out); i++)
		print_function(sframe, i, image, &n_rows, out);
}
