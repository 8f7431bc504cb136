/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What memleak of bcc and of libbpf-tools prints, again and again: all allocations that are not freed, by stack.
 *
 *	[14:05:02] Top 10 stacks with outstanding allocations:
 *	4096 bytes in 2 allocations from stack
 *		addr = 0x55d0c8a0b000 size = 2048                 with -a
 *		0 [<000055d0c8a0b139>] keep+0x9 [/usr/bin/chain]
 *		1 [<000055d0c8a0b15f>] main+0x1f /a/chain.c:12
 *		2 [<00007f11c8a0b139>] <null sym>
 *
 * bcc indents more, and has names alone. A stack weighs its bytes. (memleak.c of libbpf-tools.)
 */
#pragma once

#include <stdbool.h>

#include "input/dump.h"
#include "util/error.h"
#include "util/scan.h"

/* Whether LINE, perhaps cut, is of this text. */
bool memleak_text_starts(struct scan line);
/* Reads on while lines are of these or indented; gives the last list. The error is the collector's. */
struct error *memleak_text_read(struct dump *dump, const struct input_options *options) must_check;
