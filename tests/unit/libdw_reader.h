/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads DWARF through libdw, to check our own reader (debug/dwarf) and to time it. Only for files
 * that are not hostile: libdw opens what they name. It walks DIEs itself:
 * dwarf_getscopes() and dwfl_module_getsrc() of elfutils 0.188 do not descend into namespaces, and
 * need .debug_aranges, which clang does not write.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "debug/answers.h"
#include "object/elf_image.h"
#include "util/arena.h"

struct libdw_reader;

/*
 * Opens the DWARF of IMAGE. IMAGE, OPTIONS and ARENA (for strings) must outlive the result. Returns
 * NULL if libdw cannot read it; DETAIL_RET is then the reason, or NULL if there is no DWARF.
 */
struct libdw_reader *libdw_reader_create(struct elf_image *image,
	const struct debug_options *options, struct arena *arena, const char **detail_ret);
void libdw_reader_destroy(struct libdw_reader *reader);

/*
 * Finds the frames of ADDRESS (ELF address), allocated in FRAMES. Returns false if no unit covers
 * ADDRESS; RET then has no frames.
 */
bool libdw_reader_find(struct libdw_reader *reader, uint64_t address, struct arena *frames,
	struct reader_answer *ret);
