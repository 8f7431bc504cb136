/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an ELF file and its debug file offer for naming and unwinding stacks: how much of its code
 * unwind tables cover, and where frame pointers would suffice.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/reader.h"
#include "debug/go/gopclntab.h"
#include "debug/unwind/tables.h"
#include "object/elf_image.h"

/* What the tables of one source cover. */
struct coverage {
	uint64_t functions;
	uint64_t bytes; /* bytes of the file's code that the tables cover */
	/*
	 * Functions that set up a frame pointer, and bytes of code at which a frame pointer walk
	 * finds the caller.
	 */
	uint64_t fp_functions, fp_bytes;
	bool cut; /* tables too long, or interrupted: the rest is not counted */
};

/* Strings live as long as the struct debug. */
struct inspection {
	/* Named functions in the tables of the file, its debug file, MiniDebugInfo and Go. */
	uint64_t symtab, dynsym, debug_symtab, minidebug, go;
	/* path of the file with the DWARF; NULL if it is in the file itself, or if there is none */
	const char *debug_path;
	const char *tried; /* why it is missing, or where it was looked for; NULL if neither */
	bool has_dwarf, readable; /* READABLE: by our own reader; sets COMPRESSION and DWARF */
	const char *compression;  /* of .debug_info, NULL if not compressed */
	struct dwarf_summary dwarf;
	bool has_eh_frame, has_debug_frame;
	const char *cfi_unread; /* why .eh_frame exists but is not read, NULL if it is read */
	/* The machine has a chain of frame pointers, and BEST shows where walking it works. */
	bool fp_walk;
	struct coverage eh_frame, debug_frame, sframe;
	const struct sframe *table; /* NULL if there is no readable SFrame section */
	const char *sframe_missing; /* why TABLE is NULL, otherwise NULL */
	/* size of .text in bytes; of all code if the file is relocatable or has no .text */
	uint64_t code;
	const struct coverage *best; /* the tables that cover most code, NULL if none */
};

/* The files to inspect. NULL if absent. */
struct inspected_files {
	const struct elf_image *debug, *minidebug, *holder;
	const struct gopclntab *go;
	struct dwarf_reader *dwarf;
	struct unwind_tables *tables; /* of the file itself */
};

void inspection_fill(const struct inspected_files *files, struct inspection *ret);
