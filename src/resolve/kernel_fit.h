/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the kernel's symbols are those of the kernel that stacks were taken in, or of another
 * boot or build, which has its code elsewhere. The outermost frame of a kernel stack is entry code
 * or the start of a thread: neither a BPF program that has gone nor a module of which nothing is
 * known, so that the symbols must have it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"
#include "util/log.h"
#include "util/table.h"

/* Zero-filled is empty. */
struct kernel_fit {
	struct table outermost; /* addresses */
	size_t inside, outside; /* how many of them lie in a symbol or module, and in none */
};

void kernel_fit_deinit(struct kernel_fit *fit);
/* Counts TRACE's outermost kernel frame. */
void kernel_fit_look(struct kernel_fit *fit, const struct trace *trace);
/* Doubts the names of TRACE's kernel frames if most outermost frames contradict the symbols. */
void kernel_fit_doubt(const struct kernel_fit *fit, const struct trace *trace, uint64_t *serials);
void kernel_fit_notes(const struct kernel_fit *fit, struct log *log);
