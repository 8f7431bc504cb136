/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The build ID in an ELF file's notes. libdwelf reads notes to their end, wherever that is claimed
 * to be; real ones are within the first page or two.
 */
#pragma once

#include <gelf.h>

#include "model/build_id.h"

/*
 * The first NT_GNU_BUILD_ID of "GNU" in the first 64 KiB of each of the first 64 note segments, or,
 * without any, note sections. Len 0: there is none. FD: the file of ELF, or -1 for one in memory.
 */
struct build_id elf_notes_build_id(Elf *elf, int fd);
