/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the build ID in the notes of an ELF file. libdwelf reads notes up to the end that the file
 * claims; in real files the ID is in the first page or two.
 */
#pragma once

#include <gelf.h>

#include "model/build_id.h"

/*
 * Returns the first NT_GNU_BUILD_ID note of "GNU" in the first 64 KiB of the first 64 note
 * segments, or, if there is none, note sections. Returns len 0 if there is none. FD is the file of
 * ELF, or -1 if it is in memory.
 */
struct build_id elf_notes_build_id(Elf *elf, int fd);
