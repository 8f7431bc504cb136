/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an ELF file and its debug file offer to those who name and unwind stacks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/reader.h"
#include "debug/go/gopclntab.h"
#include "debug/unwind/coverage.h"
#include "debug/unwind/tables.h"
#include "object/elf_image.h"

/* Strings live as long as the struct debug. */
struct inspection {
	/* Functions with a name: of the file's tables, its debug file's, MiniDebugInfo, and Go's table. */
	uint64_t symtab, dynsym, debug_symtab, minidebug, go;
	const char *debug_path;	  /* where the DWARF is; NULL: in the file itself, or nowhere */
	const char *tried;	  /* where it was looked for in vain; NULL: nowhere */
	bool has_dwarf, readable; /* readable: by our own reader, which says what follows */
	const char *compression;  /* of .debug_info; NULL: none */
	struct dwarf_summary dwarf;
	bool has_eh_frame, has_debug_frame;
	const char *cfi_unread; /* why .eh_frame is not read though it is there; NULL: it is */
	bool fp_walk; /* the machine has a chain of frame pointers, and BEST says what becomes of it */
	struct coverage eh_frame, debug_frame, sframe;
	const struct sframe *table;  /* NULL: no SFrame section that can be read */
	const char *sframe_missing;  /* why; NULL: there is one */
	uint64_t code;		     /* bytes, see coverage_code() */
	const struct coverage *best; /* of the tables that cover most; NULL: there are none */
};

/* The files that it is made of. NULL: not there. */
struct inspected_files {
	const struct elf_image *image, *debug, *minidebug, *holder;
	const struct gopclntab *go;
	struct dwarf_reader *dwarf;
	struct sections *sections; /* of the holder */
	struct unwind_tables *tables;
};

void inspection_fill(const struct inspected_files *files, struct inspection *ret);
