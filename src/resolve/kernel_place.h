/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where kernel addresses lie in the files of the kernel and its modules, so that debug info can be
 * asked about them as about any other object. kallsyms has named the address before, and a file
 * is asked only if it has the same symbol at the same place.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "kernel/kernel.h"
#include "model/frame.h"
#include "object/kernel_files.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/table.h"

/* Zero-filled but for what is given is unread. */
struct kernel_places {
	struct kernel *kernel;	   /* given */
	struct kernel_files files; /* with what it needs given */
	bool vmlinux_tried, slide_tried, slide_known;
	struct object *vmlinux; /* NULL: none */
	const char *detail;	/* why not; NULL: nothing to say */
	uint64_t slide;		/* of KASLR: kernel address minus ELF address, if known */
	struct table modules;	/* build ID and name → struct object *, 0: none */
};

void kernel_places_deinit(struct kernel_places *places);
/* Whether the file of --vmlinux, if one is given, is an ELF file; its build is looked at later. */
struct error *kernel_places_check(struct kernel_places *places) must_check;
/* What is wrong with the file of --vmlinux; NULL: nothing, or none was given. */
const char *kernel_places_refused(struct kernel_places *places);
/*
 * The file behind LOCATION, a kernel address that kernel_name() has looked at. NULL: none, and the
 * location's detail says why if one should have been there.
 */
struct object *kernel_place_object(struct kernel_places *places, struct location *location);
/*
 * The ELF address of the kernel address LOOKUP of LOCATION in OBJECT, whose debug info DEBUG is.
 * LOCATION's object becomes it. False: the file is not asked, as LOCATION's detail says.
 */
bool kernel_place_address(struct kernel_places *places, struct object *object, struct debug *debug,
	uint64_t lookup, struct location *location, uint64_t *ret);
/* Adds to LOCATION's name by kallsyms what debug info says; frames are made in ARENA. */
void kernel_place_name(
	struct arena *arena, const struct debug_answer *answer, struct location *location);
