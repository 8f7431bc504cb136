/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that came or went lately, for the time that symbols do not have it yet or any more: what
 * lies where it lay, and where names have to be doubted. Addresses are kernel addresses.
 */
#ifndef KERNEL_RECENT_CODE_H
#define KERNEL_RECENT_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/listener.h"
#include "util/table.h"
#include "util/vec.h"

/* Zero-filled is nothing. */
struct recent_code {
	struct VEC(struct code_change) all;
	struct table modules; /* name → seq of when it came or went last */
	uint64_t programs_lost, modules_lost; /* seq of when something was not heard; 0: never */
	uint64_t settled; /* the symbols have all changes up to this seq */
};

void recent_code_deinit(struct recent_code *recent);
/* Adds what was heard; empties HEARD. */
void recent_code_add(struct recent_code *recent, struct heard *heard);
/*
 * The symbols have all changes up to SEQ now; those before HORIZON (ns, CLOCK_MONOTONIC) are too old
 * for any stack that is still to be named. True: answers may be others now.
 */
bool recent_code_settle(struct recent_code *recent, uint64_t seq, uint64_t horizon);
/*
 * The last change at ADDRESS: the code that lies there, or that was the last to lie there. OTHER:
 * the name of some other code that lay there lately, NULL: none. Valid until the next change. NULL:
 * nothing changed there.
 */
const struct code_change *recent_code_at(
	const struct recent_code *recent, uint64_t address, const char **other);
/*
 * True if symbols of MODULE ("bpf", "__builtin__ftrace", "nf_tables") may be of code that has gone:
 * it is not known what changed, or not where.
 */
bool recent_code_doubts(const struct recent_code *recent, const char *module);

#endif
