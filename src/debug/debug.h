/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only interface to debug info: sorted ELF addresses of one object in, functions, inlined
 * frames and lines out. It asks the readers (dwarf/, libdw/, go/, symbols/); outside of debug/ only
 * the answer says which one it came from.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "debug/symbols/symbol_search.h"
#include "debug/unwind/rule.h"
#include "model/frame.h"
#include "object/elf_image.h"
#include "object/fetch/fetcher.h"
#include "object/find/options.h"
#include "util/arena.h"

struct debug_options {
	const char *const *debug_dirs; /* searched for debug files, NULL-terminated */
	const char *root; /* the target's root, where debug files are looked for first; "": ours */
	bool inlines;	  /* inlined frames are wanted */
	bool lines;	  /* file:line:column is wanted; else what costs time is not read */
	bool demangle;
	enum name_style names; /* SHORT, PLAIN: frames get `shown` */
	enum qualify qualify;
	bool separate;	     /* look for separate debug files at all */
	bool dwarf_names;    /* a cold part ("f.cold") is called "f", as DWARF does */
	bool libdw;	     /* read DWARF through libdw only, not with our own reader */
	bool relative_names; /* source files without their compilation directory */
	const char *package; /* of split units (.dwp), looked at first; NULL: none is given */
	const char *path;    /* of the file below ROOT; NULL: the image's */
	const char *cache;   /* debuginfod's, looked at last; NULL: not */
	struct debug_folders
		*folders; /* what lies in DEBUG_DIRS themselves; NULL: they are not searched */
	const char *const *files; /* of -e: one may be the debug file; NULL-terminated, or NULL */
	const struct path_rule *rules; /* --substitute-path, for what .dwo files are called */
	size_t n_rules;
	struct fetcher *fetcher; /* gets debug files that are not here; NULL: downloads are off */
	uint64_t *last_names;	 /* of the answers of all objects; NULL: they get no such numbers */
};

struct debug;

/* What one address of debug_resolve() got; strings live as long as the struct debug. */
struct debug_answer {
	enum frame_status status; /* NAMED, NO_SYMBOLS, OUTSIDE_SYMBOLS */
	enum frame_source source;
	const struct frame *frames; /* innermost first, at least 1; all but the last inlined */
	size_t n_frames;
	uint64_t start; /* has_start: where the function begins that has no name */
	bool has_start;
	const char *detail; /* e.g. "debug file for dwz is missing", or without a name where debug
			       files were looked for; NULL: nothing */
	enum frame_gap gap; /* what DETAIL is about */
	const char *fix;    /* as in struct location */
	uint64_t names;	    /* the same */
};

/* Symbol tables say those, and DWARF only where they do not. */
static inline bool debug_wants_names_only(const struct debug_options *options)
{
	return !options->inlines && !options->lines;
}

/*
 * Opens what names the addresses of IMAGE: its own sections and its separate debug file. Nothing
 * is read before it is needed. IMAGE stays the caller's and must outlive the result. Never fails:
 * what cannot be read is said in the answers' detail.
 */
struct debug *debug_create(struct elf_image *image, const struct debug_options *options);
void debug_destroy(struct debug *debug);

/*
 * Looks for the debug file, and if it is not here begins to fetch it. True: debug_resolve() would
 * not have to wait.
 */
bool debug_prepare(struct debug *debug);
/*
 * That N ELF addresses, ascending, will be asked for by several calls of debug_resolve(): what is
 * compressed is gone through once for all of them.
 */
void debug_want(struct debug *debug, const uint64_t *addresses, size_t n);
/*
 * Answers N ELF addresses (virtual addresses of the file's program headers), sorted ascending,
 * unique. Fills ANSWERS[i] for ADDRESSES[i], with frames from the arena FRAMES (the strings live as
 * long as DEBUG). An address without a name gets one frame that may still carry file and line. May
 * be called again with further addresses: what was learned about units is kept.
 */
void debug_resolve(struct debug *debug, const uint64_t *addresses, size_t n, struct arena *frames,
	struct debug_answer *answers);
/*
 * Between such calls: lets go of the memory that pages of its files take, until they are read
 * again.
 */
void debug_release(const struct debug *debug);

/*
 * The C prototype by DWARF of the frame with this number of debug_resolve()'s answer for ADDRESS, a
 * function called NAME in the source; malloc'ed, not escaped. NULL: unknown, or another name.
 */
char *debug_prototype(struct debug *debug, uint64_t address, size_t frame, const char *name);

/*
 * The rule for unwinding at the ELF address ADDRESS, a pc that is exact or one byte before a return
 * address, from WANTED (a set of enum unwind_source): SFrame first, but for PLT stubs, then
 * .eh_frame, then .debug_frame. A debug file is looked for only if nothing before knows the
 * address. False: there is none, REASON_RET (a constant string; may be NULL) says why. May be
 * cached for the object and the rule's range.
 */
bool debug_unwind_rule(struct debug *debug, uint64_t address, unsigned wanted,
	struct unwind_rule *ret, const char **reason_ret);

/*
 * The function that covers the ELF address ADDRESS, [start, end), by the file's .eh_frame; a part
 * that was moved elsewhere ("f.cold") is one of its own. False: it has none.
 */
bool debug_unwind_function(
	struct debug *debug, uint64_t address, uint64_t *start_ret, uint64_t *end_ret);

struct inspection;

/* Looks for all that the file offers (debug/inspection.h); false: it was cut short meanwhile. */
bool debug_inspect(struct debug *debug, struct inspection *ret);
/*
 * Prints its SFrame section (debug/sframe/print.h); otherwise says why there is none (NULL:
 * printed).
 */
const char *debug_print_sframe(struct debug *debug, FILE *out);

/* Returns its function symbols, for debug/symbols/symbol_search.h. */
struct symtab *debug_symtab(struct debug *debug);
/* The source file by DWARF of the function at an ELF address; NULL: unknown. */
const char *debug_source_file(struct debug *debug, uint64_t address);

/*
 * The variable at the ELF address ADDRESS: its name, and where it is declared, if DWARF has it.
 * False: none is known to be there.
 */
bool debug_variable(struct debug *debug, uint64_t address, struct frame *ret);
/* The ELF address of the variable whose symbol is NAME. */
bool debug_find_variable(struct debug *debug, const char *name, uint64_t *ret);
/* The ELF address of the symbol NAME, as it is in the file. False: none, or several places. */
bool debug_only_symbol(struct debug *debug, const char *name, uint64_t *ret);

/*
 * The download of a debug file, or of dwz's, that brought nothing; NULL: it did, or there was none.
 */
struct fetch *debug_fetch_failed(const struct debug *debug);

/* Path of the separate debug file in use, NULL if none. */
const char *debug_file_path(const struct debug *debug);
