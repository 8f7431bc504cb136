/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of a kernel, its modules and BPF programs (kernel/kallsyms/kallsyms.c), as /proc/kallsyms and
 * copies of it show them. Read by kernel/kallsyms/reader.h.
 *
 * Of several names at one address one is chosen: code before data, then what is not weak, then what
 * is no mark that a compiler or the kernel's build puts there (__pfx_, __cfi_, __pi_), then the fewest
 * leading underscores and dots, then what is not of 32-bit programs alone (__ia32_sys_getpid beside
 * __x64_sys_getpid), then what has no .llvm. in it, then what is global, then what came first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

enum kallsyms_status {
	KALLSYMS_READ,
	KALLSYMS_HIDDEN, /* all addresses are 0: kptr_restrict, or no CAP_SYSLOG */
	KALLSYMS_ABSENT, /* cannot be read */
};

struct kallsyms_symbol {
	uint64_t address;
	uint32_t name;	 /* index into the text; 0: not code */
	uint32_t module; /* index of its name in the text; 0: the kernel itself */
};

struct kallsyms {
	enum kallsyms_status status;
	char *text; /* owned: names of symbols and modules, NUL-terminated; the first is "" */
	size_t text_len;
	struct VEC(struct kallsyms_symbol) symbols; /* by address, module and preference */
	struct VEC(uint64_t) names;		    /* the index of kernel/kallsyms/names.h */
	bool names_read;
	uint64_t floor;	  /* the lowest address of code; UINT64_MAX: there is none */
	bool narrow;	  /* addresses have 8 digits, as 32-bit kernels write them */
	uint64_t skipped; /* lines that were none, or too long */
};

struct kallsyms_answer {
	const char *name;   /* of the function; valid as long as the symbols */
	const char *module; /* NULL: the kernel itself */
	uint64_t start;	    /* address of the symbol */
	uint64_t end;	    /* the name is good for [start, end) */
};

void kallsyms_deinit(struct kallsyms *kallsyms);
/*
 * Finds the function that holds ADDRESS. Only code symbols give names, but every symbol ends the one
 * before it, and no symbol reaches into another module. Returns false if there is none.
 */
bool kallsyms_find(const struct kallsyms *kallsyms, uint64_t address, struct kallsyms_answer *ret);
/* The same among the symbols of one module only. */
bool kallsyms_find_in(const struct kallsyms *kallsyms, const char *module, uint64_t address,
	struct kallsyms_answer *ret);
/* Calls FOUND with each code symbol whose name begins with "_R" or "_Z", as Rust and C++ mangle. */
void kallsyms_each_mangled(const struct kallsyms *kallsyms,
	void (*found)(void *context, const char *name, const char *module, uint64_t address),
	void *context);
/* Returns true if both have the same symbols. */
bool kallsyms_equal(const struct kallsyms *a, const struct kallsyms *b);
