/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which addresses are the kernel's, on the machine that the stacks are of. */
#pragma once

#include "kernel/kernel.h"
#include "model/address_halves.h"

/*
 * By where the symbols of --kallsyms or of another machine's recording stand, which are read for
 * that; else by the ELF file VMLINUX (NULL: none is given); else by the machine that this runs on.
 */
struct address_halves kernel_halves(struct kernel *kernel, const char *vmlinux);
/* By FLOOR, the lowest address of code; NARROW: of a 32-bit kernel. */
struct address_halves kernel_halves_from(uint64_t floor, bool narrow);
