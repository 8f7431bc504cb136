/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF through libdw, but with a walk of our own: dwarf_getscopes() and dwfl_module_getsrc() of
 * elfutils 0.188 do not see into namespaces, and need .debug_aranges, which clang does not write.
 */
#ifndef DEBUG_LIBDW_READER_H
#define DEBUG_LIBDW_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/debug.h"
#include "model/frame.h"
#include "object/elf_image.h"
#include "util/arena.h"

struct libdw_reader;

/*
 * Opens the DWARF of IMAGE; it, OPTIONS and ARENA (for strings) must outlive the result. NULL:
 * libdw reads none in it, and DETAIL_RET says why if there is some.
 */
struct libdw_reader *libdw_reader_create(struct elf_image *image,
	const struct debug_options *options, struct arena *arena, const char **detail_ret);
void libdw_reader_destroy(struct libdw_reader *reader);

struct libdw_answer {
	/*
	 * Innermost first, at least one. Their function is DW_AT_name and their linkage
	 * DW_AT_linkage_name, each NULL where DWARF has none; their offset is not set.
	 */
	struct frame *frames;
	size_t n_frames;
	bool has_function;  /* the last frame is a function that DWARF knows */
	uint64_t entry;     /* where that function is entered (ELF address) */
	const char *detail; /* what was missing, NULL: nothing */
	enum frame_gap gap; /* what DETAIL is about */
};

/* False: no unit covers ADDRESS. The frames are made in FRAMES. RET is set in both cases; without unit it has no frames. */
bool libdw_reader_find(struct libdw_reader *reader, uint64_t address, struct arena *frames,
	struct libdw_answer *ret);

#endif
