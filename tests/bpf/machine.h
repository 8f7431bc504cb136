/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between machines in the programs that are sampled. */
#pragma once

/* The system call getppid in the function itself, not in the C library, and what it changes. */
#if defined(__x86_64__)
#define CALL_GETPPID "mov $110, %%eax; syscall; nop"
#define CALL_CHANGES "rax", "rcx", "r11", "memory"
#elif defined(__aarch64__)
#define CALL_GETPPID "mov x8, #173; svc #0; nop"
#define CALL_CHANGES "x0", "x8", "memory"
#else
#error "the system call getppid is not known for this machine"
#endif
