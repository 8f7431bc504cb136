/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF through libdw, for what our own reader (debug/dwarf) declines, and to compare that with:
 * plain rather than fast, but bounded, however broken a file is. The walk is our own:
 * dwarf_getscopes() and dwfl_module_getsrc() of elfutils 0.188 do not see into namespaces, and need
 * .debug_aranges, which clang does not write.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "debug/reader_answer.h"
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

/*
 * False: no unit covers ADDRESS. The frames are made in FRAMES. RET is set in both cases; without
 * unit it has no frames.
 */
bool libdw_reader_find(struct libdw_reader *reader, uint64_t address, struct arena *frames,
	struct reader_answer *ret);
