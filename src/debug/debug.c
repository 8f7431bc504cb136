// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/debug.h"

#include <stdlib.h>
#include <string.h>

#include "debug/symbols/symbol_table.h"
#include "debug/dwarf/reader.h"
#include "debug/files/debug_file.h"
#include "debug/go/gopclntab.h"
#include "debug/inspection.h"
#include "debug/names/frame_names.h"
#include "debug/names/shown_names.h"
#include "debug/names/short_name.h"
#include "debug/symbols/demangle.h"
#include "debug/sframe/sframe.h"
#include "debug/unwind/cfi.h"
#include "debug/answers.h"
#include "debug/symbols/ambiguous_names.h"
#include "debug/unwind/tables.h"
#include "util/cleanup.h"
#include "util/fault_guard.h"
#include "util/stop.h"
#include "util/text.h"
#include "util/xalloc.h"

struct debug {
	struct elf_image *image;
	struct debug_options options;
	bool opened; /* debug_open() has run */
	bool go_tried;
	/* a debug file was found but not used: its layout differs from the image's */
	bool other_layout;
	bool cut; /* a file was truncated while it was read, so all results are discarded */
	struct elf_image *file;	  /* separate debug file, NULL if none */
	struct elf_image *holder; /* the file with the DWARF: FILE or IMAGE */
	struct dwarf_reader *own; /* NULL if there is no readable DWARF */
	struct elf_image *mini;	  /* MiniDebugInfo, NULL if none or not needed */
	struct symtab *symtab;
	struct ambiguous_names ambiguous;
	struct data data; /* read when needed */
	struct plt *plt;  /* NULL until needed */
	struct unwind_tables unwind;
	struct gopclntab *go; /* NULL until needed, or if not a Go program */
	const char *detail;   /* problem of the DWARF as a whole, NULL if none */
	bool looked;	      /* the separate debug file was looked for */
	/* download of the debug file; once OPENED only if it failed; NULL if none */
	struct fetch *fetch;
	/* where debug files were looked for without success, NULL if nowhere */
	const char *tried;
	struct frame_names names;
	struct go_names go_names;
	struct arena arena;   /* strings of answers */
	struct table copies;  /* strings of answers that were in the files */
	struct table numbers; /* symbol → number of the names by it alone */
};

struct debug *debug_create(struct elf_image *image, const struct debug_options *options)
{
	struct debug *debug = xnew(debug);

	debug->image = image;
	debug->unwind.image = image;
	debug->options = *options;
	if (!debug->options.root)
		debug->options.root = "";
	return debug;
}

void debug_destroy(struct debug *debug)
{
	if (!debug)
		return;
	dwarf_reader_destroy(debug->own);
	symtab_destroy(debug->symtab);
	entry_points_destroy(debug->ambiguous.points);
	vec_deinit(&debug->ambiguous.all);
	vec_deinit(&debug->data.symbols);
	vec_deinit(&debug->data.map);
	plt_destroy(debug->plt);
	unwind_tables_deinit(&debug->unwind);
	gopclntab_destroy(debug->go);
	elf_image_destroy(debug->file);
	elf_image_destroy(debug->mini);
	frame_names_deinit(&debug->names);
	vec_deinit(&debug->go_names.functions);
	arena_deinit(&debug->arena);
	table_deinit(&debug->copies);
	table_deinit(&debug->numbers);
	free(debug);
}

bool debug_prepare(struct debug *debug)
{
	struct elf_image *image = debug->image;
	auto_text struct text tried = {};

	if (debug->looked)
		return !debug->fetch || debug->fetch->done;
	debug->looked = true;
	if (!debug->options.separate || elf_image_has_dwarf(image))
		return true;
	debug->file = debug_file_find(image, &debug->options, &tried);
	if (debug->file && elf_image_has_dwarf(debug->file))
		return true;
	debug->tried = arena_string(&debug->arena, tried.data);
	/* images from memory are the kernel's own */
	if (!image->memory)
		debug->fetch = fetcher_start(debug->options.fetcher, DEBUGINFOD_DEBUGINFO,
			&image->build_id, NULL, image->path);
	return !debug->fetch || debug->fetch->done;
}

/* Sets `cut` if a file was truncated since fault_guard_cuts() returned CUTS_BEFORE. */
static void debug_check(struct debug *debug, size_t cuts_before)
{
	debug->cut = debug->cut || debug->image->guard.cut || fault_guard_cuts() != cuts_before;
}

/* Opens the files, once. Returns what fault_guard_cuts() returned before, for debug_check(). */
static size_t debug_open(struct debug *debug)
{
	size_t cuts = fault_guard_cuts();

	if (debug->opened)
		return cuts;
	debug->opened = true;
	debug_prepare(debug);
	if (debug->fetch) {
		auto_free char *outcome = NULL;
		struct elf_image *fetched =
			debug_file_fetched(debug->image, &debug->options, debug->fetch, &outcome);

		if (fetched) {
			elf_image_destroy(debug->file);
			debug->file = fetched;
			debug->fetch = NULL;
		} else {
			debug->tried = arena_printf(&debug->arena, "%s%sdebuginfod: %s",
				debug->tried ?: "", debug->tried ? "; " : "", outcome);
		}
	}
	if (debug->file && !elf_image_same_layout(debug->image, debug->file)) {
		debug->other_layout = true;
		debug->detail = frame_status_words[FRAME_OTHER_LAYOUT].text;
		elf_image_destroy(take(debug->file));
	}
	debug->holder = debug->file ?: debug->image;
	debug->own =
		dwarf_reader_create(debug->image, debug->holder, &debug->options, &debug->arena);
	if (!debug->own && !debug->detail && elf_image_has_dwarf(debug->holder))
		debug->detail = "its DWARF cannot be read";
	debug->mini = minidebug_open(debug->image, debug->file);
	const struct elf_image *more = debug->mini ?: debug->file;
	debug->symtab = symtab_create(debug->image, more);
	frame_names_init(debug->options.demangle, debug->options.names, debug->image, more,
		&debug->arena, &debug->names);
	debug->ambiguous = (struct ambiguous_names){.image = debug->image,
		.debug = debug->file,
		.points = entry_points_create(debug->image, debug->file)};
	debug_check(debug, cuts);
	return cuts;
}

static struct gopclntab *debug_go(struct debug *debug)
{
	if (!debug->go_tried)
		debug->go = gopclntab_create(debug->image, &debug->options);
	debug->go_tried = true;
	return debug->go;
}

/*
 * Returns true if DWARF is not needed for ADDRESS. PLT stubs are in no unit, and DWARF has no
 * functions outside of code, but finding that out would mean reading all units. If only names are
 * wanted, symbols are enough, except for static ones without a size.
 */
static bool needs_no_dwarf(const struct debug *debug, uint64_t address, const struct symbol *symbol)
{
	if (!symbol)
		return !elf_image_is_in_section(debug->image, address, SHF_EXECINSTR);
	return debug_wants_names_only(&debug->options) ? symbol->sized || !symbol->local
						       : symbol->source == SOURCE_PLT;
}

/* Sets the printed names of FRAME from its DWARF names. */
static void name_frame(struct debug *debug, struct frame *frame)
{
	const char **name = frame->linkage ? &frame->linkage : &frame->function;

	*name = answer_string(&debug->copies, *name);
	/* DWARF's files are copies */
	if (debug->go)
		frame->file = answer_string(&debug->copies, frame->file);
	frame_names_set(&debug->names, frame);
	/* only Go's symbols contain slashes: package paths */
	if (debug->options.names == NAMES_SHORT && frame->linkage && !frame->shown &&
		short_name_go(frame->linkage) != frame->linkage)
		frame->shown = go_names_shown(&debug->go_names, debug_go(debug), frame->linkage);
}

/*
 * Returns true if SYMBOL is a part, placed elsewhere ("f.cold"), of the function that DWARF calls
 * NAME and whose entry is ENTRY: offsets in it are not offsets in the function. Suffixes with which
 * linkers make local names unique do not count.
 */
static bool symbol_is_part(const struct symbol *symbol, const char *name, uint64_t entry)
{
	size_t len = strlen(name);
	const char *suffix = symbol->name + len;

	return symbol->source != SOURCE_PLT && symbol->start != entry &&
	       !strncmp(symbol->name, name, len) && *suffix == '.' &&
	       strncmp(suffix, ".llvm.", 6) != 0 && strncmp(suffix, ".lto_priv.", 10) != 0;
}

/* Returns true if SYMBOL is the mangled name of that function, or a clone of it. */
static bool symbol_is_mangled(const struct symbol *symbol, const char *name, uint64_t entry)
{
	if (!demangle_is_mangled(symbol->name))
		return false;
	if (symbol->start == entry)
		return true;
	auto_free char *part = xasprintf("%zu%s", strlen(name), name);
	return strchr(symbol->name, '.') && strstr(symbol->name, part);
}

/* Names the outermost frame by READER's answer, else by SYMBOL. Returns the source of the name. */
static enum frame_source name_outermost(struct debug *debug, const struct reader_answer *dwarf,
	enum frame_source reader, const struct symbol *symbol, struct frame *frame)
{
	bool by_dwarf = dwarf->has_function && (frame->function || frame->linkage);
	bool mangled = symbol && by_dwarf && !frame->linkage &&
		       symbol_is_mangled(symbol, frame->function, dwarf->entry);
	bool part = symbol && by_dwarf && !mangled && reader == SOURCE_DWARF &&
		    !debug->options.dwarf_names &&
		    symbol_is_part(symbol, frame->linkage ?: frame->function, dwarf->entry);

	if (symbol && (!by_dwarf || mangled || part))
		frame->linkage = symbol->name;
	if (by_dwarf || symbol)
		name_frame(debug, frame);
	/* Code may lack a line even if DWARF has its function. All of Go's symbols are in "go.go". */
	if (symbol && symbol->file && !frame->file && debug->options.lines &&
		strcmp(symbol->file, "go.go") != 0)
		frame->file = answer_string(&debug->copies, symbol->file);
	return by_dwarf ? reader : symbol ? symbol->source : SOURCE_NONE;
}

/*
 * Returns true if SYMBOL can cover ADDRESS. A symbol without a size ends at the next start of a
 * unit or function. UNIT_START is the start of the unit's code around ADDRESS, 0 if unknown.
 */
static bool reaches(
	struct debug *debug, const struct symbol *symbol, uint64_t address, uint64_t unit_start)
{
	if (symbol->sized)
		return true;
	const struct cfi_fde *function = unwind_tables_search(&debug->unwind, address);
	return unit_start <= symbol->start && (!function || function->start <= symbol->start);
}

/*
 * Sets the offset from the symbol's start, as symbol tables and kernels count it. Uses DWARF's
 * entry point if there is no symbol, or if the symbol has another name, as a label inside the
 * function does.
 */
static void set_offset(struct frame *frame, uint64_t address, const struct reader_answer *dwarf,
	const struct symbol *symbol)
{
	if (!frame->function)
		return;
	bool by_symbol = symbol && (!dwarf->has_function || symbol->start == dwarf->entry ||
					   !strcmp(symbol->name, frame->linkage));
	uint64_t start = by_symbol ? symbol->start : dwarf->entry;
	frame->offset = address - start;
	frame->has_offset = address >= start;
}

static enum frame_status unnamed_status(const struct debug *debug)
{
	if (debug->other_layout)
		return FRAME_OTHER_LAYOUT;
	/* looking for DWARF last, as it takes longest */
	return !symtab_empty(debug->symtab) || debug->own || debug->go ||
			       (debug->holder && elf_image_has_dwarf(debug->holder))
		       ? FRAME_OUTSIDE_SYMBOLS
		       : FRAME_NO_SYMBOLS;
}

/*
 * Sets what is missing: what the reader reports, or all DWARF if it is too large or was not
 * downloaded.
 */
static void set_detail(const struct debug *debug, const struct reader_answer *dwarf, bool named,
	struct debug_answer *answer)
{
	const char *refused = debug->own ? sections_refused(debug->own->dwarf->sections) : NULL;

	answer->detail = dwarf->detail ?: debug->detail ?: refused;
	/* explain why there are no lines if the debug file could not be downloaded */
	if (!answer->detail && (!named || debug->fetch))
		answer->detail = debug->tried;
	answer->gap = dwarf->gap;
	if (dwarf->gap || !named)
		return;
	if (refused)
		answer->gap = GAP_LARGE;
	else if (debug->fetch && fetch_failed(debug->fetch))
		answer->gap = GAP_FETCH;
}

/* Returns the file of frame I (SIZE_MAX: the last) at ADDRESS, or of the first printed as NAME. */
static const char *file_at(struct debug *debug, uint64_t address, size_t i, const char *name)
{
	struct reader_answer dwarf = {};
	scope_guard(arena_deinit) struct arena frames = {};
	const struct debug_options options = debug->options;

	debug->options.lines = true;
	debug->options.inlines |= name != NULL;
	bool found = debug->own && dwarf_reader_find(debug->own, address, &frames, &dwarf);
	debug->options = options;
	for (size_t at = 0; found && at < dwarf.n_frames; at++)
		if (name ? frame_names_is(&debug->names, &dwarf.frames[at], name)
			 : at == i || at + 1 == dwarf.n_frames)
			return dwarf.frames[at].file;
	return NULL;
}

static const char *find_file(void *debug, uint64_t address, size_t i)
{
	return file_at(debug, address, i, NULL);
}

/* Resolves ADDRESS. SYMBOL is the symbol there, NULL if none. */
static struct debug_answer resolve_one(struct debug *debug, const struct qualifiers *qualifiers,
	uint64_t address, const struct symbol *symbol, struct arena *frames)
{
	struct reader_answer dwarf = {};
	enum frame_source reader = SOURCE_NONE;

	if (!elf_image_has_address(debug->image, address))
		return answer_without_name(FRAME_OUTSIDE_SEGMENTS, NULL);
	if ((debug->own || debug_go(debug)) && !needs_no_dwarf(debug, address, symbol)) {
		if (debug->own && dwarf_reader_find(debug->own, address, frames, &dwarf))
			reader = SOURCE_DWARF;
		else if (debug_go(debug) && gopclntab_find(debug->go, address, frames, &dwarf))
			reader = SOURCE_GOPCLNTAB;
	}
	if (reader == SOURCE_NONE)
		reader_answer_begin(&dwarf, 1, frames);
	if (symbol && !dwarf.has_function && !reaches(debug, symbol, address, dwarf.unit_start))
		symbol = NULL;
	struct frame *outermost = &dwarf.frames[dwarf.n_frames - 1];
	for (struct frame *frame = dwarf.frames; frame < outermost; frame++)
		name_frame(debug, frame);
	enum frame_source source = name_outermost(debug, &dwarf, reader, symbol, outermost);
	set_offset(outermost, address, &dwarf, symbol);
	for (size_t i = 0; i < dwarf.n_frames - (symbol != NULL); i++)
		qualifiers_set(qualifiers, address, dwarf.frames, i, NULL);
	struct debug_answer answer = {
		.status = outermost->function ? FRAME_NAMED : unnamed_status(debug),
		.source = source,
		.frames = dwarf.frames,
		.n_frames = dwarf.n_frames,
	};
	set_detail(debug, &dwarf, outermost->function, &answer);
	/* there is debug info already, so suggest no fix */
	if (answer.status == FRAME_OUTSIDE_SYMBOLS && !answer.gap && debug->own)
		answer.fix = "";
	if (answer.status == FRAME_NAMED)
		return answer;
	const struct cfi_fde *function = unwind_tables_search(&debug->unwind, address);
	answer.has_start = function;
	answer.start = function ? function->start : 0;
	return answer;
}

static const struct plt *plt_of(struct debug *debug)
{
	if (!debug->plt)
		debug->plt = plt_create(debug->image, debug->symtab);
	return debug->plt;
}

/*
 * Finds the symbols of N sorted addresses; those without one get a NULL name. ORDER_RET receives
 * the indices of the addresses that need our DWARF reader, in its preferred order. Returns their
 * number.
 */
static size_t find_symbols(struct debug *debug, const uint64_t *addresses, size_t n,
	struct symbol *symbols_ret, size_t *order_ret)
{
	size_t asked = 0;

	for (size_t i = 0; i < n; i++) {
		const struct symbol *symbol = symtab_find(debug->symtab, addresses[i]);

		if (!symbol)
			symbol = plt_find(plt_of(debug), addresses[i]);
		symbols_ret[i] = symbol ? *symbol : (struct symbol){};
		if (debug->own && !needs_no_dwarf(debug, addresses[i], symbol))
			order_ret[asked++] = i;
	}
	if (asked)
		units_order(debug->own->dwarf, addresses, order_ret, asked);
	return asked;
}

/*
 * Returns the number of an answer's names; the same for all answers by SYMBOL (NULL: by more than a
 * symbol).
 */
static uint64_t answer_number(struct debug *debug, const struct symbol *symbol)
{
	uint64_t *last = debug->options.last_names;

	if (!symbol)
		return ++*last;
	const uint64_t key[] = {symbol->start, (uintptr_t)symbol->name};
	bool added;
	uint64_t *number = table_at(&debug->numbers, key, sizeof(key), &added);
	if (added)
		*number = ++*last;
	return *number;
}

/* Resolves N addresses. Adds qualifiers last, as they need DWARF of other units. */
static void resolve(struct debug *debug, const uint64_t *addresses, size_t n, struct arena *frames,
	struct debug_answer *answers)
{
	auto_free struct symbol *symbols = xmalloc(n * sizeof(*symbols));
	auto_free size_t *order = xmalloc(n * sizeof(*order));
	const struct qualifiers qualifiers = {&debug->options, &debug->ambiguous,
		debug->names.shown, &debug->arena, {find_file, debug}};
	const size_t asked = find_symbols(debug, addresses, n, symbols, order);
	const struct symbol *last = NULL; /* of the last answer by a symbol alone */

	memset(answers, 0, n * sizeof(*answers));
	for (size_t at = 0; at < asked && !stop_asked(); at++) {
		size_t i = order[at];

		answers[i] = resolve_one(debug, &qualifiers, addresses[i],
			symbols[i].name ? &symbols[i] : NULL, frames);
	}
	for (size_t i = 0; i < n && !stop_asked(); i++) {
		const struct symbol *symbol = symbols[i].name ? &symbols[i] : NULL;
		/* only the offset differs from the symbol's answer for another address */
		bool alone = symbol && needs_no_dwarf(debug, addresses[i], symbol) &&
			     elf_image_has_address(debug->image, addresses[i]) &&
			     reaches(debug, symbol, addresses[i], 0);
		bool again =
			alone && last && last->start == symbol->start && last->name == symbol->name;

		if (!answers[i].n_frames && again) {
			const struct debug_answer *before = &answers[last - symbols];
			struct frame *frame = arena_clone(frames, before->frames, sizeof(*frame));

			frame->offset += addresses[i] - addresses[last - symbols];
			answers[i] = *before;
			answers[i].frames = frame;
		} else if (!answers[i].n_frames) {
			answers[i] = resolve_one(debug, &qualifiers, addresses[i], symbol, frames);
		}
		if (!symbol || answers[i].status != FRAME_NAMED || answers[i].names)
			continue;
		qualifiers_set(&qualifiers, addresses[i],
			(struct frame *)(uintptr_t)answers[i].frames, answers[i].n_frames - 1,
			symbol);
		if (!debug->options.last_names || !debug_wants_names_only(&debug->options) ||
			long_names_in(&answers[i]))
			continue;
		answers[i].names = answer_number(debug, alone ? symbol : NULL);
		last = alone ? symbol : last;
	}
}

void debug_want(struct debug *debug, const uint64_t *addresses, size_t n)
{
	if (stop_asked())
		return;
	size_t cuts = debug_open(debug);
	if (debug->own) {
		debug->own->wanted = true;
		units_want(debug->own->dwarf, addresses, n, debug->options.lines);
	}
	debug_check(debug, cuts);
}

void debug_resolve(struct debug *debug, const uint64_t *addresses, size_t n, struct arena *frames,
	struct debug_answer *answers)
{
	size_t cuts = fault_guard_cuts();

	if (!stop_asked()) {
		debug_open(debug);
		symtab_want(debug->symtab, addresses, n);
		resolve(debug, addresses, n, frames, answers);
	}
	if (!stop_asked())
		long_names_cut(answers, n, frames);
	debug_check(debug, cuts);
	/* a truncated file reads as zeros, which hide symbols and falsify the bounds of others */
	for (size_t i = 0; i < n && debug->cut; i++)
		answers[i] = answer_without_name(
			FRAME_FILE_BROKEN, "a file was cut short while it was read");
	for (size_t i = 0; i < n && stop_asked(); i++)
		answers[i] = answer_without_name(FRAME_INTERRUPTED, NULL);
}

bool debug_is_overwritten(const struct debug *debug)
{
	return elf_image_is_overwritten(debug->image) ||
	       (debug->file && elf_image_is_overwritten(debug->file));
}

void debug_release(const struct debug *debug)
{
	elf_image_release(debug->image);
	if (debug->file)
		elf_image_release(debug->file);
}

char *debug_prototype(struct debug *debug, uint64_t address, size_t frame, const char *name)
{
	auto_text struct text text = {};
	size_t cuts = debug_open(debug);

	bool found = debug->own && dwarf_reader_prototype(debug->own, address, frame, name, &text);
	debug_check(debug, cuts);
	return found && !debug->cut ? text_take(&text) : NULL;
}

bool debug_inspect(struct debug *debug, struct inspection *ret)
{
	size_t cuts = debug_open(debug);

	const struct inspected_files files = {.debug = debug->file,
		.minidebug = debug->mini,
		.holder = debug->holder,
		.go = debug_go(debug),
		.dwarf = debug->own,
		.tables = &debug->unwind};
	(void)unwind_tables_add_holder(files.tables, debug->holder);
	inspection_fill(&files, ret);
	ret->tried = debug->detail ?: debug->tried;
	debug_check(debug, cuts);
	return !debug->cut;
}

const char *debug_print_sframe(struct debug *debug, FILE *out)
{
	const struct sframe_section *section = unwind_tables_sframe(&debug->unwind);

	if (!section->missing)
		sframe_print(&section->sframe, debug->image, out);
	return section->missing;
}

bool debug_unwind_rule(struct debug *debug, uint64_t address, unsigned wanted,
	struct unwind_rule *ret, const char **reason_ret)
{
	size_t cuts = fault_guard_cuts();
	struct unwind_rule rule;

	struct unwind_tables *tables = &debug->unwind;
	const char *reason = unwind_tables_rule(tables, address, wanted, &rule);
	if (reason && wanted & UNWIND_DEBUG_FRAME && elf_image_is_code(debug->image, address)) {
		debug_open(debug);
		if (unwind_tables_add_holder(tables, debug->holder))
			reason = unwind_tables_rule(tables, address, wanted, &rule);
	}
	if (!reason && rule.source == UNWIND_DEBUG_FRAME && debug_go(debug))
		reason = gopclntab_correct_rule(debug->go, address, &rule);
	debug_check(debug, cuts);
	if (debug->cut)
		reason = "a file was cut short while it was read";
	if (reason_ret)
		*reason_ret = reason;
	if (!reason)
		*ret = rule;
	return !reason;
}

bool debug_unwind_function(
	struct debug *debug, uint64_t address, uint64_t *start_ret, uint64_t *end_ret)
{
	size_t cuts = fault_guard_cuts();
	struct cfi_fde fde;

	const char *missing = unwind_tables_fde(&debug->unwind, address, &fde);
	debug_check(debug, cuts);
	if (missing || debug->cut)
		return false;
	*start_ret = fde.start;
	*end_ret = fde.end;
	return true;
}

struct symtab *debug_symtab(struct debug *debug)
{
	debug_open(debug);
	return debug->symtab;
}

void debug_find_inlined(struct debug *debug, const char *name,
	void (*found)(void *context, uint64_t address), void *context)
{
	const struct inlined_search search = {name, &debug->names, found, context};
	size_t cuts = debug_open(debug);

	if (strstr(name, "@plt"))
		plt_each_named(plt_of(debug), name, found, context);
	else if (debug->own)
		dwarf_reader_find_inlined(debug->own, &search);
	debug_check(debug, cuts);
}

const char *debug_source_file(struct debug *debug, uint64_t address, const char *inlined)
{
	debug_open(debug);
	return file_at(debug, address, SIZE_MAX, inlined);
}

static const struct data *debug_data(struct debug *debug)
{
	debug_open(debug);
	if (!debug->data.read)
		data_read(debug->image, debug->file, &debug->data);
	return &debug->data;
}

bool debug_variable(struct debug *debug, uint64_t address, struct frame *ret)
{
	size_t cuts = fault_guard_cuts();

	if (!elf_image_is_in_section(debug->image, address, 0) ||
		elf_image_is_in_section(debug->image, address, SHF_EXECINSTR))
		return false;
	*ret = (struct frame){};
	const struct datum *symbol = data_find(debug_data(debug), address);
	uint64_t start = symbol ? symbol->start : address;
	if (debug->own && dwarf_reader_variable(debug->own, start, ret) && !ret->linkage)
		ret->linkage = ret->function;
	ret->linkage = answer_string(&debug->copies, symbol ? symbol->name : ret->linkage);
	if (ret->linkage)
		ret->function = frame_names_whole(&debug->names, ret->linkage);
	ret->offset = address - start;
	ret->has_offset = true;
	bool fine = ret->linkage && long_names_cut_frame(ret, &debug->arena);
	debug_check(debug, cuts);
	return fine && !debug->cut;
}

bool debug_find_variable(struct debug *debug, const char *name, uint64_t *ret)
{
	return data_named(debug_data(debug), name, ret);
}

bool debug_only_symbol(struct debug *debug, const char *name, uint64_t *ret)
{
	const struct symbol *found = NULL;
	size_t n;
	const struct symbol *all = symtab_symbols(debug_symtab(debug), &n);

	array_each(symbol, all, n) {
		if (strcmp(symbol->name, name) != 0)
			continue;
		if (found && found->start != symbol->start)
			return false;
		found = symbol;
	}
	if (found)
		*ret = found->start;
	return found;
}

struct fetch *debug_fetch_failed(const struct debug *debug)
{
	return debug->fetch || !debug->own ? debug->fetch : debug->own->alt.fetch;
}

const char *debug_file_path(const struct debug *debug)
{
	return debug->file ? debug->file->path : NULL;
}
