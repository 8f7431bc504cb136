/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resolves kernel addresses. Symbols are read from the system when the first address is resolved.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/state.h"
#include "model/stack.h"
#include "util/error.h"

/*
 * Finds the code at kernel address LOOKUP within TIME, among BPF programs and other code that was
 * added or removed since the symbols were read. Returns false, with RET zero-filled, if no such
 * code was at LOOKUP. If reports were lost, returns true with RET->incomplete set.
 */
bool kernel_choose(struct kernel *kernel, uint64_t lookup, const struct sample_time *time,
	struct code_choice *ret);
/*
 * Names LOCATION after the function that covers LOOKUP, a kernel address (the location's own, or
 * one less for a caller), using the result CHOICE of kernel_choose(). Sets status, source, object
 * and FRAME, which becomes the location's only frame. Without symbols, the object is still set if
 * LOOKUP is in a module.
 */
void kernel_name(struct kernel *kernel, uint64_t lookup, const struct code_choice *choice,
	struct location *location, struct frame *frame);
/*
 * Returns true for the entry code of interrupts and exceptions. The next frame is the interrupted
 * one, with an exact address, not a return address.
 */
bool kernel_is_interrupt_entry(const char *function);
/*
 * Updates KERNEL with the changes in the system since the symbols were read; call it between
 * batches. Changes that the kernel reports are applied at once. Symbols are read again only if they
 * are at least a second old, so that only streams pay for it.
 */
enum kernel_news kernel_refresh(struct kernel *kernel);
/* Logs the failures of kernel_refresh(). */
void kernel_notes(const struct kernel *kernel, struct log *log);
/*
 * Converts TIME of perf's clock to CLOCK_MONOTONIC (ns), within 1 ms. Returns false if the offset
 * is unknown.
 */
bool kernel_from_perf_clock(struct kernel *kernel, uint64_t time, uint64_t *ret);
/*
 * Returns when the kernel stack of SAMPLE was taken. For lists of exact addresses this is the
 * present.
 */
struct sample_time kernel_sample_time(struct kernel *kernel, const struct sample *sample);
