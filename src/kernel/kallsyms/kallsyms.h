/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of a kernel, its modules and BPF programs, as in /proc/kallsyms and copies of it.
 *
 * One of several names at an address is chosen. In order of priority: code before data; not weak;
 * not a mark of the compiler or the kernel's build (__pfx_, __cfi_, __pi_); fewest leading
 * underscores and dots; not for 32-bit programs only (__ia32_sys_getpid beside __x64_sys_getpid);
 * without .llvm.; global; first in the file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/text.h"
#include "util/vec.h"

enum kallsyms_status {
	KALLSYMS_READ,
	KALLSYMS_HIDDEN, /* all addresses are 0, because of kptr_restrict or missing CAP_SYSLOG */
	KALLSYMS_ABSENT, /* it cannot be read */
};

struct kallsyms_symbol {
	uint64_t address;
	uint32_t name;	 /* index into `text`; 0 if the symbol is not code */
	uint32_t module; /* index of the module's name in `text`; 0 for the kernel itself */
};

struct kallsyms {
	enum kallsyms_status status;
	char *text; /* owned: NUL-terminated names of symbols and modules; the first is "" */
	size_t text_len;
	struct VEC(struct kallsyms_symbol) symbols; /* sorted by address, module and preference */
	struct VEC(uint64_t) names;		    /* index by name, if NAMES_READ */
	bool names_read;
	uint64_t floor;	  /* lowest address of a code symbol; UINT64_MAX if there is none */
	bool narrow;	  /* no address has more than 8 digits: a 32-bit kernel */
	uint64_t skipped; /* number of lines skipped: malformed, too long, or beyond a limit */
};

struct kallsyms_answer {
	const char *name;   /* function name; lives as long as the symbols */
	const char *module; /* NULL for the kernel itself */
	uint64_t start;	    /* address of the symbol */
	uint64_t end;	    /* end of the range [start, end) for which the answer is the same */
};

/*
 * Reading /proc/kallsyms costs up to 300 ms of kernel time, so it waits until the first kernel
 * frame. The text is parsed in pieces and not kept.
 */

/* Parses the text of a kallsyms file. RET must be zero-filled. */
void kallsyms_parse(const char *text, size_t len, struct kallsyms *ret);
/*
 * Reads and parses FD up to its end. RET must be zero-filled. Returns 0 or the errno; RET is
 * KALLSYMS_ABSENT then.
 */
int kallsyms_read(int fd, struct kallsyms *ret);
void kallsyms_deinit(struct kallsyms *kallsyms);
/*
 * Finds the function that covers ADDRESS. Only code symbols give names, but every symbol ends the
 * previous one, and no symbol extends into another module. Returns false if there is none.
 */
bool kallsyms_find(const struct kallsyms *kallsyms, uint64_t address, struct kallsyms_answer *ret);
/* Like kallsyms_find(), but among the symbols of one module. */
bool kallsyms_find_in(const struct kallsyms *kallsyms, const char *module, uint64_t address,
	struct kallsyms_answer *ret);

/*
 * By name: the first search builds an index of all names, which takes some milliseconds and is kept
 * with the symbols.
 */

/*
 * Finds the lowest address of a code symbol called NAME, preferring the kernel itself to modules.
 * Returns false if there is none.
 */
bool kallsyms_find_name(struct kallsyms *kallsyms, const char *name, uint64_t *ret);
/* Returns the next code symbol called NAME, from position AT (at first 0) of the index, or NULL. */
const struct kallsyms_symbol *kallsyms_next_named(
	struct kallsyms *kallsyms, const char *name, size_t *at);
/*
 * Sets RET to a text that distinguishes ANSWER's function from others of the same name: "[module]"
 * ("[kernel]" for the kernel itself) if it is the only one in its module, else
 * "@0xffffffff81234560", its address. Returns false if there is no other.
 */
bool kallsyms_qualifier(
	struct kallsyms *kallsyms, const struct kallsyms_answer *answer, struct text *ret);
