/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signal trampolines: the code a signal handler returns to (__restore_rt). */
#ifndef OBJECT_TRAMPOLINE_H
#define OBJECT_TRAMPOLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "object/elf_image.h"

/*
 * True if the code at the ELF address ADDRESS is a call of rt_sigreturn. No call pushed such an
 * address: it is the trampoline's exact start, and the frame above it is the interrupted pc.
 * Knows x86-64, i386 and aarch64.
 */
bool trampoline_at(const struct elf_image *image, uint64_t address);

#endif
