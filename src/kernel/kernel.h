/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for kernel addresses, read from the system when the first one is asked for. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/state.h"
#include "model/stack.h"
#include "util/error.h"

void kernel_deinit(struct kernel *kernel);
/* The error says that the saved file cannot be opened. */
struct error *kernel_check(const struct kernel *kernel) must_check;
/* The symbols, read when first asked for. */
struct kallsyms *kernel_symbols(struct kernel *kernel);

/*
 * Which code that came or went since the symbols were read the kernel address LOOKUP was in. False:
 * none did there; RET is zero-filled then.
 */
bool kernel_choose(struct kernel *kernel, uint64_t lookup, const struct moment *moment,
	struct code_choice *ret);
/*
 * Names LOCATION by the function that holds LOOKUP, a kernel address (the location's own, or one
 * less for a caller), with what kernel_choose() said of it: status, source, object and the one frame
 * FRAME, which the location then points to. Without symbols there is still the object if LOOKUP is in
 * a module.
 */
void kernel_name(struct kernel *kernel, uint64_t lookup, const struct code_choice *choice,
	struct location *location, struct frame *frame);
/* The address of a kernel function. False: none has the name. */
bool kernel_find_symbol(struct kernel *kernel, const char *name, uint64_t *ret);
/*
 * True for the entry code of interrupts and exceptions: below it stands the interrupted pc, which
 * is exact, not a return address.
 */
bool kernel_is_interrupt_entry(const char *function);
/* ns, CLOCK_MONOTONIC. */
uint64_t kernel_now(void);
/*
 * Takes over what changed in the system since the symbols were read; called between batches. What
 * the kernel reports is taken at once; symbols are read again from when they are a second old, so that only
 * streams pay for it.
 */
enum kernel_news kernel_refresh(struct kernel *kernel);
/* Tells LOG what went wrong with that. */
void kernel_notes(const struct kernel *kernel, struct log *log);
/* TIME of perf's clock as one of CLOCK_MONOTONIC, within 1 ms. Returns false if that is unknown. */
bool kernel_from_perf_clock(struct kernel *kernel, uint64_t time, uint64_t *ret);
/*
 * When the kernel stack of SAMPLE was taken. A list of addresses asks for what is there now.
 */
struct moment kernel_moment(struct kernel *kernel, const struct sample *sample);
