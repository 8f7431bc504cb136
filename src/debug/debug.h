/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only interface to debug info: resolves sorted ELF addresses of one object to functions,
 * inlined frames and lines. It chooses among the readers (dwarf/, go/, symbols/);
 * the rest of the program sees the choice only as the source of an answer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "debug/symbols/symtab.h"
#include "debug/unwind/unwind_rule.h"
#include "model/frame.h"
#include "object/elf_image.h"
#include "object/fetch/fetcher.h"
#include "object/find/find_options.h"
#include "util/arena.h"

struct debug_options {
	struct string_vec debug_dirs; /* directories to search for debug files; the caller's */
	const char *root; /* root of the target, searched for debug files first; "" for ours */
	bool inlines;	  /* resolve inlined frames */
	bool lines;	  /* resolve file:line:column; otherwise line tables are rarely read */
	bool demangle;
	enum name_style names; /* SHORT and PLAIN set `shown` of frames */
	enum qualify qualify;
	bool separate;	     /* look for separate debug files */
	bool dwarf_names;    /* name a cold part ("f.cold") "f", as DWARF does */
	bool relative_names; /* print source files without their compilation directory */
	const char *package; /* package of split units (.dwp) to try first, NULL if none is given */
	const char *path;    /* path of the file below ROOT, NULL for the image's path */
	const char *cache;   /* cache of debuginfod, searched last; NULL to skip */
	/* index of the files directly in DEBUG_DIRS, NULL to skip them */
	struct debug_folders *folders;
	struct string_vec files; /* of -e, any of which may be the debug file; the caller's */
	struct path_rules rules; /* --substitute-path, for the names of .dwo files; the caller's */
	struct fetcher *fetcher; /* downloads missing debug files, NULL if downloads are off */
	/* last value of `names` in an answer, shared by all objects; NULL to leave `names` 0 */
	uint64_t *last_names;
};

struct debug;

/* Result of debug_resolve() for one address. Strings live as long as the struct debug. */
struct debug_answer {
	enum frame_status status; /* NAMED, or why there is no name */
	enum frame_source source;
	/* innermost first, at least one; all but the last are inlined */
	const struct frame *frames;
	size_t n_frames;
	uint64_t start; /* ELF address where the unnamed function begins, if HAS_START */
	bool has_start;
	/*
	 * what is missing, for example "debug file for dwz is missing", or where debug files were
	 * looked for; NULL if there is nothing to say
	 */
	const char *detail;
	enum frame_gap gap; /* subject of DETAIL */
	const char *fix;    /* as in struct location */
	uint64_t names;	    /* as in struct location */
};

/* Returns true if only names are wanted: most come from symbol tables, without DWARF. */
static inline bool debug_wants_names_only(const struct debug_options *options)
{
	return !options->inlines && !options->lines;
}

/*
 * Opens IMAGE for resolving, with its separate debug file. Everything is read on demand. The caller
 * keeps IMAGE, which must outlive the result. Never fails: problems appear in `detail` of answers.
 */
struct debug *debug_create(struct elf_image *image, const struct debug_options *options);
void debug_destroy(struct debug *debug);

/*
 * Looks for the debug file, and starts a download if it is not found here. Returns true if
 * debug_resolve() would not have to wait.
 */
bool debug_prepare(struct debug *debug);
/*
 * Announces N ELF addresses, ascending, that several calls of debug_resolve() will resolve, so that
 * compressed sections are inflated once for all of them.
 */
void debug_want(struct debug *debug, const uint64_t *addresses, size_t n);
/*
 * Resolves N ELF addresses (as in the program headers), ascending and unique. Sets ANSWERS[i] for
 * ADDRESSES[i]. Frames are allocated in FRAMES; strings are copies, which live as long as DEBUG. An
 * address without a name has one frame, which may still have a file and line. May be called
 * repeatedly: what was read of units is kept.
 */
void debug_resolve(struct debug *debug, const uint64_t *addresses, size_t n, struct arena *frames,
	struct debug_answer *answers);
/*
 * Returns true if the file or its debug file was written to since it was opened: what was read may
 * be of both states.
 */
bool debug_is_overwritten(const struct debug *debug);
/*
 * Releases the memory of the mapped files between calls of debug_resolve(). Pages are read again
 * when needed.
 */
void debug_release(const struct debug *debug);

/*
 * Returns the C prototype, from DWARF, of frame number FRAME in debug_resolve()'s answer for
 * ADDRESS. Malloc'ed, not escaped. Returns NULL if it is unknown or its source name is not NAME.
 */
char *debug_prototype(struct debug *debug, uint64_t address, size_t frame, const char *name);

/*
 * Finds the unwind rule at the ELF address ADDRESS, which is an exact pc or one byte before a
 * return address. WANTED is a set of enum unwind_source. Tries SFrame (except in PLT stubs), then
 * .eh_frame, then .debug_frame; a debug file is looked for only if the others have no rule. Returns
 * false if there is no rule, with the reason (a constant string) in REASON_RET (may be NULL). The
 * rule may be cached for its address range in this object.
 */
bool debug_unwind_rule(struct debug *debug, uint64_t address, unsigned wanted,
	struct unwind_rule *ret, const char **reason_ret);

/*
 * Finds the function [START_RET, END_RET) that covers the ELF address ADDRESS, from .eh_frame. A
 * part that was moved elsewhere ("f.cold") counts as a function. Returns false if there is none.
 */
bool debug_unwind_function(
	struct debug *debug, uint64_t address, uint64_t *start_ret, uint64_t *end_ret);

struct inspection;

/*
 * Collects what the file offers (debug/inspection.h). Returns false if it was truncated meanwhile.
 */
bool debug_inspect(struct debug *debug, struct inspection *ret);
/*
 * Prints the SFrame section (sframe_print()). Returns NULL on success, otherwise why there is
 * none (a constant string).
 */
const char *debug_print_sframe(struct debug *debug, FILE *out);

/* Returns the function symbols. */
struct symtab *debug_symtab(struct debug *debug);
/*
 * Calls FOUND with the ELF address of each PLT stub, or of each inlined call, in DWARF, of the
 * function that is printed as NAME, in any form. The first call for one inlined reads all DWARF.
 */
void debug_find_inlined(struct debug *debug, const char *name,
	void (*found)(void *context, uint64_t address), void *context);
/*
 * Returns the source file from DWARF of the function at ADDRESS (ELF address) or, unless INLINED is
 * NULL, of the one inlined there that is printed so, in any form. NULL if unknown.
 */
const char *debug_source_file(struct debug *debug, uint64_t address, const char *inlined);

/*
 * Finds the variable at the ELF address ADDRESS: its name and, from DWARF, its declaration. Returns
 * false if none is known.
 */
bool debug_variable(struct debug *debug, uint64_t address, struct frame *ret);
/*
 * Finds the ELF address of the variable NAME, mangled or demangled. Returns false if there is none.
 */
bool debug_find_variable(struct debug *debug, const char *name, uint64_t *ret);
/*
 * Finds the ELF address of the symbol NAME, as in the file. Returns false if there is none, or if
 * several addresses have it.
 */
bool debug_only_symbol(struct debug *debug, const char *name, uint64_t *ret);

/* Returns the failed download of the debug file or of dwz's file, NULL if none failed. */
struct fetch *debug_fetch_failed(const struct debug *debug);

/* Returns the path of the separate debug file in use, NULL if none. */
const char *debug_file_path(const struct debug *debug);
