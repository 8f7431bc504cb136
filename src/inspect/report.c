// SPDX-License-Identifier: GPL-2.0-or-later
#include "inspect/inspect.h"

#include <inttypes.h>

#include "util/json_text.h"
#include "util/vec.h"

/*
 * If a walk finds the caller in less than FP_TENTHS tenths of the code, stacks often lose callers.
 * Prologues and epilogues alone take one tenth.
 */
enum { FP_TENTHS = 8, ADVICE_MAX = 8 };

/*
 * Returns who vouches for the file's build ID, NULL if nobody does. A build ID is only as
 * trustworthy as those who can write the file.
 */
static const char *voucher(const struct object *object)
{
	const struct elf_image *image = object->image;

	if (object->doubtful || !writers_are_root(&image->writers))
		return NULL;
	if (image->memory)
		return "the kernel";
	return image->stat.st_uid ? "you" : "root";
}

/* ---- advice --------------------------------------------------------------------------------- */

struct advice {
	const char *lines[ADVICE_MAX];
	size_t n;
};

static void advise(struct advice *advice, bool needed, const char *line)
{
	if (needed)
		advice->lines[advice->n++] = line;
}

static struct advice make_advice(const struct object *object, const struct inspection *inspection)
{
	const struct dwarf_summary *dwarf = &inspection->dwarf;
	bool symbols = inspection->symtab + inspection->debug_symtab + inspection->minidebug;
	/*
	 * Go's own table has names, lines and inlined calls, and its compiler keeps frame pointers.
	 */
	bool go = inspection->go;
	const struct coverage *best = inspection->best;
	struct advice advice = {};

	/* The vDSO is the kernel's, so the user cannot rebuild it. */
	if (object->image->memory)
		return advice;
	bool no_id = !object->image->build_id.len && !elf_image_is_relocatable(object->image);
	advise(&advice, no_id && go,
		"build it with -ldflags=-B=0xHEX, or with Go 1.24 or newer: a GNU build ID tells "
		"copies apart");
	if (go)
		return advice;
	advise(&advice, no_id,
		"link it with -Wl,--build-id, so that its debug file is found and copies are told "
		"apart");
	advise(&advice, !symbols && !inspection->has_dwarf,
		"install its debug file, or do not strip it: static functions have no names");
	advise(&advice, symbols && !inspection->has_dwarf,
		"install its debug file, or build it with -g: there are no lines and inlined "
		"functions");
	advise(&advice, dwarf->split_missing,
		"keep its .dwo files where they are, or put them into a package (dwp) beside it");
	advise(&advice, dwarf->alt_missing, "install the file that dwz moved debug info to");
	advise(&advice, inspection->code && !best && !inspection->cfi_unread,
		"build it with -fasynchronous-unwind-tables: its stacks cannot be unwound");
	advise(&advice,
		best && inspection->fp_walk && best->fp_bytes < best->bytes / 10 * FP_TENTHS,
		"build it with -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer (Rust: -C "
		"force-frame-pointers=yes): stacks that follow frame pointers skip callers in it");
	return advice;
}

/* ---- text ----------------------------------------------------------------------------------- */

/* Returns PART in percent of WHOLE, rounded down to a tenth, so that only all of it is 100. */
static double percent(uint64_t part, uint64_t whole)
{
	if (!whole || part >= whole)
		return whole ? 100 : 0;
	return (double)(uint64_t)((double)part / (double)whole * 1000) / 10;
}

static void add_id(const struct object *object, struct text *text)
{
	const struct build_id_hex id = build_id_hex(&object->image->build_id);
	const char *who = voucher(object);

	if (!object->image->build_id.len)
		text_add_string(text, "  build ID: none\n");
	else if (who)
		text_printf(text, "  build ID: %s (vouched for by %s)\n", id.digits, who);
	else if (object->image->memory)
		text_printf(text,
			"  build ID: %s (unconfirmed: the process may have changed its memory)\n",
			id.digits);
	else
		text_printf(text,
			"  build ID: %s (unconfirmed: user %u could have written the file)\n",
			id.digits, writers_rights(&object->image->writers));
}

static void add_symbols(const struct inspection *inspection, struct text *text)
{
	const struct {
		uint64_t n;
		const char *where;
	} all[] = {
		{inspection->symtab, ".symtab"},
		{inspection->dynsym, ".dynsym"},
		{inspection->debug_symtab, "its debug file"},
		{inspection->minidebug, "MiniDebugInfo"},
		{inspection->go, "Go's .gopclntab"},
	};
	const char *before = "";

	text_add_string(text, "  functions with symbols: ");
	for (size_t i = 0; i < array_len(all); i++)
		if (all[i].n) {
			text_printf(text, "%s%" PRIu64 " in %s", before, all[i].n, all[i].where);
			before = ", ";
		}
	text_add_string(text, *before ? "\n" : "none\n");
}

static void add_dwarf(const struct inspection *inspection, struct text *text)
{
	const struct dwarf_summary *dwarf = &inspection->dwarf;

	text_add_string(text, "  debug info: ");
	if (!inspection->has_dwarf) {
		text_printf_escaped(
			text, inspection->tried ? "none; %s" : "none", inspection->tried);
		text_add_char(text, '\n');
		return;
	}
	text_add_string(text, "DWARF");
	if (!inspection->readable)
		text_add_string(text, " that cannot be read");
	if (dwarf->units)
		text_printf(text, " %u", dwarf->oldest);
	if (dwarf->newest > dwarf->oldest)
		text_printf(text, " to %u", dwarf->newest);
	if (dwarf->units)
		text_printf(
			text, ", %" PRIu64 " unit%s", dwarf->units, dwarf->units == 1 ? "" : "s");
	if (inspection->compression)
		text_printf(text, ", compressed (%s)", inspection->compression);
	if (inspection->debug_path)
		text_printf_escaped(text, ", in %s", inspection->debug_path);
	text_add_char(text, '\n');
	if (dwarf->split)
		text_printf(text, "  split units: %" PRIu64 ", missing: %" PRIu64, dwarf->split,
			dwarf->split_missing);
	if (dwarf->missing)
		text_printf_escaped(text, ": %s", dwarf->missing);
	text_add_string(text, dwarf->split ? "\n" : "");
	if (!dwarf->needs_alt)
		return;
	text_printf_escaped(text, "  file of dwz: %s", dwarf->alt_missing ?: "found");
	text_add_char(text, '\n');
}

static void add_coverage(const char *name, const struct coverage *coverage,
	const struct inspection *inspection, struct text *text)
{
	text_printf(text, "  %s: %s%" PRIu64 " function%s, %.1f %% of the code\n", name,
		coverage->cut ? "at least " : "", coverage->functions,
		coverage->functions == 1 ? "" : "s", percent(coverage->bytes, inspection->code));
}

static void add_tables(const struct inspection *inspection, struct text *text)
{
	const struct sframe *sframe = inspection->table;
	const struct coverage *best = inspection->best;
	char name[64];

	if (inspection->cfi_unread)
		text_printf(text, "  .eh_frame: not read (%s)\n", inspection->cfi_unread);
	else if (inspection->has_eh_frame)
		add_coverage(".eh_frame", &inspection->eh_frame, inspection, text);
	else
		text_add_string(text, "  .eh_frame: none\n");
	if (inspection->has_debug_frame)
		add_coverage(".debug_frame", &inspection->debug_frame, inspection, text);
	if (sframe) {
		snprintf(name, sizeof(name), "SFrame: version %u, %u rows", sframe->version,
			sframe->n_rows);
		add_coverage(name, &inspection->sframe, inspection, text);
	} else {
		text_printf(text, "  SFrame: none (%s)\n", inspection->sframe_missing);
	}
	if (best && inspection->fp_walk)
		text_printf(text,
			"  frame pointer: %" PRIu64 " of %" PRIu64
			" functions set it up; at %.1f %% of their code a walk finds the caller\n",
			best->fp_functions, best->functions, percent(best->fp_bytes, best->bytes));
}

void report_text(
	const struct object *object, const struct inspection *inspection, struct text *text)
{
	const struct advice advice = make_advice(object, inspection);

	text_add_escaped_string(text, object->label.path);
	text_add_char(text, '\n');
	add_id(object, text);
	add_symbols(inspection, text);
	add_dwarf(inspection, text);
	add_tables(inspection, text);
	array_each(line, advice.lines, advice.n)
		text_printf(text, "  advice: %s\n", *line);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_coverage(
	struct text *text, const char *key, const struct coverage *coverage, bool there)
{
	if (!there)
		return;
	json_open(text, key, '{');
	json_add_unsigned(text, "functions", coverage->functions);
	json_add_unsigned(text, "code_bytes", coverage->bytes);
	if (coverage->cut)
		json_add_unsigned(text, "cut", 1);
	text_add_char(text, '}');
}

static void json_tables(struct text *text, const struct inspection *inspection)
{
	const struct coverage *best = inspection->best;

	json_add_unsigned(text, "code_bytes", inspection->code);
	json_coverage(text, "eh_frame", &inspection->eh_frame, inspection->has_eh_frame);
	json_coverage(text, "debug_frame", &inspection->debug_frame, inspection->has_debug_frame);
	json_coverage(text, "sframe", &inspection->sframe, inspection->table);
	if (inspection->table) {
		json_add_unsigned(text, "sframe_version", inspection->table->version);
		json_add_unsigned(text, "sframe_rows", inspection->table->n_rows);
	}
	json_add_known(text, "sframe_missing", inspection->sframe_missing);
	json_add_known(text, "cfi_unread", inspection->cfi_unread);
	if (!best || !inspection->fp_walk)
		return;
	json_open(text, "frame_pointer", '{');
	json_add_unsigned(text, "functions", best->fp_functions);
	json_add_unsigned(text, "of_functions", best->functions);
	json_add_unsigned(text, "code_bytes", best->fp_bytes);
	json_add_unsigned(text, "of_code_bytes", best->bytes);
	text_add_char(text, '}');
}

void report_json(
	const struct object *object, const struct inspection *inspection, struct text *text)
{
	const struct advice advice = make_advice(object, inspection);
	const struct build_id_hex id = build_id_hex(&object->image->build_id);
	const struct dwarf_summary *dwarf = &inspection->dwarf;

	text_add_char(text, '{');
	json_add_known(text, "path", object->label.path);
	json_add_known(text, "build_id", id.digits);
	json_add_known(text, "vouched_by", voucher(object));
	json_open(text, "symbols", '{');
	json_add_unsigned(text, "symtab", inspection->symtab);
	json_add_unsigned(text, "dynsym", inspection->dynsym);
	json_add_unsigned(text, "debug_file", inspection->debug_symtab);
	json_add_unsigned(text, "minidebuginfo", inspection->minidebug);
	json_add_unsigned(text, "gopclntab", inspection->go);
	text_add_char(text, '}');
	if (inspection->has_dwarf) {
		json_open(text, "dwarf", '{');
		json_add_unsigned(text, "oldest", dwarf->oldest);
		json_add_unsigned(text, "newest", dwarf->newest);
		json_add_unsigned(text, "units", dwarf->units);
		json_add_known(text, "compression", inspection->compression);
		json_add_known(text, "file", inspection->debug_path);
		json_add_unsigned(text, "split_units", dwarf->split);
		json_add_unsigned(text, "split_missing", dwarf->split_missing);
		json_add_known(text, "split_detail", dwarf->missing);
		if (dwarf->needs_alt)
			json_add_known(
				text, "alternate_file", dwarf->alt_missing ? "missing" : "found");
		json_add_known(text, "alternate_detail", dwarf->alt_missing);
		text_add_char(text, '}');
	} else {
		json_add_known(text, "debug_file_detail", inspection->tried);
	}
	json_tables(text, inspection);
	json_add_strings(text, "advice", advice.lines, advice.n);
	text_add_string(text, "}\n");
}

void report_missing(const struct object *object, const char *reason, bool json, FILE *out)
{
	auto_text struct text text = {};

	if (json) {
		text_add_char(&text, '{');
		json_add_known(&text, "path", object->label.path);
		json_add_known(&text, "missing", reason);
		text_add_char(&text, '}');
	} else {
		text_add_char(&text, '\n');
		text_add_escaped_string(&text, reason);
	}
	fprintf(out, "%s\n", text.data);
}
