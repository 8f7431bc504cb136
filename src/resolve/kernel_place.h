/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps kernel addresses to the files of the kernel and its modules, so that their debug info is
 * used like that of any object. kallsyms names an address first; a file is used only if it has the
 * same symbol at the same address. Also decides which addresses are the kernel's, and whether the
 * symbols are of the stacks' boot.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/debug.h"
#include "kernel/kernel.h"
#include "model/stack.h"
#include "model/frame.h"
#include "object/kernel_files.h"
#include "resolve/targets.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/log.h"
#include "util/table.h"

/* Zero-filled except for the given members is unread. */
struct kernel_places {
	struct kernel *kernel;	   /* given */
	struct kernel_files files; /* given, with its settings */
	/* build ID and name of a module, or " " → struct object *; 0: none */
	struct table found;
	struct object *vmlinux; /* NULL: none */
	const char *detail;	/* why there is none, or NULL */
	bool slide_tried, slide_known;
	uint64_t slide; /* KASLR offset: kernel address minus ELF address, if slide_known */
};

void kernel_places_deinit(struct kernel_places *places);
/* Returns an error if --vmlinux is given and no ELF file; its build is checked later. */
struct error *kernel_places_check(struct kernel_places *places) must_check;
/* Returns why the file of --vmlinux is refused; NULL: it is not, or none is given. */
const char *kernel_places_refused(struct kernel_places *places);
/*
 * Returns the file for LOCATION, a kernel address that kernel_name() has named; NULL: none. If a
 * file was expected, LOCATION's detail has the reason.
 */
struct object *kernel_place_object(struct kernel_places *places, struct location *location);
/*
 * Converts LOOKUP, a kernel address of LOCATION, to an ELF address of TARGET's object, and makes
 * that LOCATION's object. Returns false, with the reason in LOCATION's detail, if the file does not
 * match.
 */
bool kernel_place_address(struct kernel_places *places, const struct target *target,
	uint64_t lookup, struct location *location, uint64_t *ret);
/* Adds inlined frames and lines from ANSWER to LOCATION's kallsyms name, with frames in ARENA. */
void kernel_place_name(
	struct arena *arena, const struct debug_answer *answer, struct location *location);

/*
 * Detects kernel symbols of another boot or build than the stacks. The outermost frame of a kernel
 * stack is entry code or the start of a thread, never an unloaded BPF program or an unknown module,
 * so matching symbols must cover it.
 */
struct kernel_fit {
	struct table outermost; /* addresses */
	size_t inside, outside; /* number of them covered by a symbol or module, and not covered */
};

/* Counts TRACE's outermost kernel frame. */
void kernel_fit_look(struct kernel_fit *fit, const struct trace *trace);
/* Marks TRACE's kernel names as uncertain if symbols do not cover most outermost frames. */
void kernel_fit_doubt(const struct kernel_fit *fit, const struct trace *trace, uint64_t *serials);
void kernel_fit_notes(const struct kernel_fit *fit, struct log *log);

/*
 * Returns which addresses belong to the kernel on the machine of the stacks. Decides by the
 * addresses of the symbols of --kallsyms or of a recording from another machine,
 * which it reads; else by the ELF file VMLINUX (NULL: none); else by the machine that this runs on.
 */
struct address_halves kernel_halves(struct kernel *kernel, const char *vmlinux);
