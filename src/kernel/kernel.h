/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for kernel addresses, read from the system when the first one is asked for. */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/kallsyms.h"
#include "model/frame.h"
#include "process/recording.h"
#include "util/arena.h"
#include "util/table.h"

/* Zero-filled but for PROC_ROOT is unread. */
struct kernel {
	const char *proc_root; /* not owned */
	const char *sys_root;  /* not owned */
	const struct recording *recording; /* NULL: none; not owned */
	bool tried;
	struct kallsyms kallsyms;
	struct table labels; /* module name → struct frame_object * */
	struct arena strings;
};

void kernel_deinit(struct kernel *kernel);
/*
 * Names LOCATION by the function that holds LOOKUP, a kernel address (the location's own, or one
 * less for a caller): status, source, object and the one frame FRAME, which the location then
 * points to.
 */
void kernel_name(
	struct kernel *kernel, uint64_t lookup, struct location *location, struct frame *frame);
/* The address of a kernel function. False: none has the name. */
bool kernel_find_symbol(struct kernel *kernel, const char *name, uint64_t *ret);
/*
 * True for the entry code of interrupts and exceptions: below it stands the interrupted pc, which
 * is exact, not a return address.
 */
bool kernel_is_interrupt_entry(const char *function);

#endif
