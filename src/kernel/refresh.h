/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel symbols that are read again while a stream runs, and when a stack was taken. */
#pragma once

#include "kernel/kernel.h"

/* ns, CLOCK_MONOTONIC. */
uint64_t kernel_now(void);
/*
 * Takes over what changed in the system since the symbols were read; called between batches. What
 * the kernel reports is taken at once; symbols are read again beside the resolving, from when they are
 * a second old, so that only streams pay for it.
 */
enum kernel_news kernel_refresh(struct kernel *kernel);
/* Tells LOG what went wrong with that. */
void kernel_notes(const struct kernel *kernel, struct log *log);
/*
 * When the kernel stack of SAMPLE was taken. A list of addresses asks for what is there now.
 */
struct moment kernel_moment(struct kernel *kernel, const struct sample *sample);
