/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known to have changed, but not how, for the time until the symbols are read again: whose
 * names have to be doubted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/follow/listener.h"
#include "util/table.h"

/* Zero-filled is nothing. */
struct recent_code {
	struct table modules;		      /* name → seq of when it came or went last */
	uint64_t programs_lost, modules_lost; /* seq of when a change was missed; 0: never */
	uint64_t settled;		      /* the symbols have all changes up to this seq */
};

void recent_code_deinit(struct recent_code *recent);
/* Adds CHANGES, and empties them. */
void recent_code_add(struct recent_code *recent, struct kernel_changes *changes);
/* The symbols have all changes up to SEQ now. True: answers may be others now. */
bool recent_code_settle(struct recent_code *recent, uint64_t seq);
/* Returns true if the kernel makes the code of MODULE while it runs: BPF, ftrace, kprobes. */
bool recent_code_is_made(const char *module);
/*
 * True if what was said last of MODULE ("bpf", "__builtin__ftrace", "nf_tables") may be of code that
 * has gone: it is not known what changed, or not where.
 */
bool recent_code_doubts(const struct recent_code *recent, const char *module);
/* The same of code that the kernel made while it runs, whose last change is SEQ. */
bool recent_code_doubts_since(const struct recent_code *recent, uint64_t seq);
