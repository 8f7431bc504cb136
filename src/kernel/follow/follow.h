/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols that follow the system, for streams: a thread is told of modules and BPF programs that come
 * and go, reads all symbols again (at most once a second), and hands them over if they are
 * others. Who resolves never waits for it.
 */
#pragma once

#include <stdint.h>

#include "kernel/kallsyms/kallsyms.h"
#include "util/log.h"

struct follow;
struct listener;

struct follow_options {
	const char *path;	   /* of kallsyms; not owned */
	struct listener *listener; /* tells what changes; not owned */
	uint64_t interval;	   /* ns between two readings */
};

/* Follows from SYMBOLS on; what changed since these were read is found out first. */
struct follow *follow_start(const struct follow_options *options, const struct kallsyms *symbols);
/* Ends the thread. NULL is fine. */
void follow_stop(struct follow *follow);
/* There may be something to take from the listener. */
void follow_wake(struct follow *follow);
/*
 * True if there are new symbols: RET, which is the caller's, becomes these. Its symbols, new or not,
 * have all changes up to SEQ (struct kernel_changes) of the listener.
 */
bool follow_take(struct follow *follow, struct kallsyms *ret, uint64_t *seq);
/*
 * An address had no name. Where the kernel does not tell what changes, it is looked for; less and
 * less often while nothing is found.
 */
void follow_miss(struct follow *follow);
/* Tells LOG what failed. */
void follow_notes(struct follow *follow, struct log *log);
