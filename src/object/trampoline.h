/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognizes code around an address: signal trampolines and calls. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "object/elf_image.h"

/*
 * Returns true if the code at the ELF address ADDRESS calls rt_sigreturn. Such an address was not
 * pushed by a call: it is the exact start of the trampoline, and the next frame is the interrupted
 * pc.
 */
bool trampoline_at(const struct elf_image *image, uint64_t address);

/* Returns the length of that code in bytes on IMAGE's machine, or 0 if it is not known. */
uint64_t trampoline_length(const struct elf_image *image);

/*
 * Returns true if the instruction before the ELF address ADDRESS is a call, so ADDRESS is a return
 * address. This shows which kind of address follows a trampoline. An unwinder that reads signal
 * frames gives the interrupted pc. One that follows frame pointers, as the kernel does for BPF
 * (arch/x86/events/core.c, perf_callchain_user), gives the return address of the interrupted
 * function.
 */
bool trampoline_call_before(const struct elf_image *image, uint64_t address);
/*
 * Returns true if no call ends before ADDRESS, so it cannot be a return address, and the machine's
 * code is known. It is garbage that an unwinder read beyond the first frame (static programs of
 * glibc), or an address that code put on the stack itself (makecontext). Returns false for
 * runtime.goexit, where Go's goroutines begin: it is after a nop and before a call.
 */
bool trampoline_never_returned_to(const struct elf_image *image, uint64_t address);
