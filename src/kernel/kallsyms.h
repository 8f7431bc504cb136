/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of the running kernel, its modules and BPF programs (kernel/kallsyms.c). Reading
 * costs up to some 300 ms of kernel time, so it is done when the first kernel frame asks.
 */
#ifndef KERNEL_KALLSYMS_H
#define KERNEL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/text.h"
#include "util/vec.h"

enum kallsyms_status {
	KALLSYMS_READ,
	KALLSYMS_HIDDEN, /* all addresses are 0: kptr_restrict, or no CAP_SYSLOG */
	KALLSYMS_ABSENT, /* cannot be read */
};

struct kallsyms_symbol {
	uint64_t address;
	uint32_t name, module; /* offsets in the pool; module 0: the kernel itself */
	char type;             /* nm(1): t T w W are code */
	uint32_t order;        /* position in the file */
};

struct kallsyms {
	enum kallsyms_status status;
	struct VEC(struct kallsyms_symbol) symbols; /* by address, then by preference */
	struct text pool;                           /* NUL-terminated names, "" first */
};

struct kallsyms_answer {
	const char *name;
	const char *module; /* NULL: the kernel itself */
	uint64_t start;     /* address of the symbol */
	uint64_t end;       /* where the next symbol starts: the name is good for [start, end) */
};

/* Reads the text of /proc/kallsyms. RET must be zero-filled. */
void kallsyms_parse(const char *text, size_t len, struct kallsyms *ret);
/* Reads PROC_ROOT/kallsyms. */
void kallsyms_read(const char *proc_root, struct kallsyms *ret);
void kallsyms_deinit(struct kallsyms *kallsyms);
/*
 * The function that holds ADDRESS. Only code symbols give names, but every symbol ends the one
 * before it, and no symbol reaches into another module. Of several at one address the first is
 * taken that is not weak, has the fewest leading underscores, and is global. False: none.
 */
bool kallsyms_find(
	const struct kallsyms *kallsyms, uint64_t address, struct kallsyms_answer *ret);
/* The address of a code symbol by name. False: there is none. */
bool kallsyms_find_name(const struct kallsyms *kallsyms, const char *name, uint64_t *ret);

#endif
