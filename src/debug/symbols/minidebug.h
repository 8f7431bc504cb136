/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MiniDebugInfo: .gnu_debugdata, an xz-compressed ELF file with the symbols that .dynsym lacks
 * (gdb's documentation, "MiniDebugInfo"; Fedora and its kin have it in every stripped file).
 */
#pragma once

#include "object/elf_image.h"

/*
 * The file in .gnu_debugdata of IMAGE, the caller's to destroy. NULL: IMAGE has none, it is broken
 * or too large, or its code is not at the addresses of IMAGE's, so that its symbols mean nothing.
 */
struct elf_image *minidebug_open(const struct elf_image *image);
/* True if IMAGE has a .symtab, which MiniDebugInfo is the substitute for. */
bool minidebug_needless(const struct elf_image *image);
