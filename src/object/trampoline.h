/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the code around an address says about it: signal trampolines, and calls. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "object/elf_image.h"

/*
 * True if the code at the ELF address ADDRESS is a call of rt_sigreturn. No call pushed such an
 * address: it is the trampoline's exact start, and the frame above it is the interrupted pc.
 */
bool trampoline_at(const struct elf_image *image, uint64_t address);

/* Bytes of such code in IMAGE's machine; 0: it is not known there. */
uint64_t trampoline_length(const struct elf_image *image);

/*
 * True if the instruction before the ELF address ADDRESS is a call, so that ADDRESS is a return
 * address. After a trampoline an unwinder that reads signal frames gives the interrupted pc, while
 * one that follows frame pointers, as the kernel does for BPF (arch/x86/events/core.c,
 * perf_callchain_user), gives the return address of the interrupted function: the code tells.
 */
bool trampoline_call_before(const struct elf_image *image, uint64_t address);
/*
 * True if the code is known and no call ends before ADDRESS, which no call can have returned to
 * then: garbage that an unwinder went past the first frame to (static programs of glibc), or an
 * address that code put on the stack itself (makecontext). Go's goroutines begin with such a one,
 * which is none: after a nop, before a call (runtime.goexit).
 */
bool trampoline_never_returned_to(const struct elf_image *image, uint64_t address);
