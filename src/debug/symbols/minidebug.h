/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens MiniDebugInfo: .gnu_debugdata, an xz-compressed ELF file with the symbols that .dynsym
 * lacks (gdb's documentation, "MiniDebugInfo"). Fedora and related distributions have it in every
 * stripped file.
 */
#pragma once

#include "object/elf_image.h"

/*
 * Opens the file in .gnu_debugdata of IMAGE; the result is the caller's to destroy. Returns NULL if
 * there is none, if it is broken or too large, or if its build ID or code sections do not match
 * those of IMAGE: its symbols would be wrong.
 */
struct elf_image *minidebug_open(const struct elf_image *image);
/* Returns true if IMAGE has a .symtab, which MiniDebugInfo would replace. */
bool minidebug_needless(const struct elf_image *image);
