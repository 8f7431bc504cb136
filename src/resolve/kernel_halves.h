/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which addresses belong to the kernel on the machine of the stacks. */
#pragma once

#include "kernel/kernel.h"
#include "model/address_halves.h"

/*
 * Decides by the addresses of the symbols of --kallsyms or of a recording from another machine,
 * which it reads; else by the ELF file VMLINUX (NULL: none); else by the machine that this runs on.
 */
struct address_halves kernel_halves(struct kernel *kernel, const char *vmlinux);
/* Decides by FLOOR, the lowest code address. NARROW: a 32-bit kernel. */
struct address_halves kernel_halves_from(uint64_t floor, bool narrow);
