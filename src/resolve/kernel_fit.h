/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detects kernel symbols of another boot or build than the stacks. The outermost frame of a kernel
 * stack is entry code or the start of a thread, never an unloaded BPF program or an unknown module,
 * so matching symbols must cover it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"
#include "util/log.h"
#include "util/table.h"

struct kernel_fit {
	struct table outermost; /* addresses */
	size_t inside, outside; /* number of them covered by a symbol or module, and not covered */
};

void kernel_fit_deinit(struct kernel_fit *fit);
/* Counts TRACE's outermost kernel frame. */
void kernel_fit_look(struct kernel_fit *fit, const struct trace *trace);
/* Marks TRACE's kernel names as uncertain if symbols do not cover most outermost frames. */
void kernel_fit_doubt(const struct kernel_fit *fit, const struct trace *trace, uint64_t *serials);
void kernel_fit_notes(const struct kernel_fit *fit, struct log *log);
