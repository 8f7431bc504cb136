/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What profile, offcputime and others of bcc and of libbpf-tools print: kernel frames, those of the process,
 * comm, process or thread, and a number.
 *
 *	    do_syscall_64
 *	    entry_SYSCALL_64_after_hwframe
 *	    --
 *	    #10 0x000000000040418e main+0x9 (/usr/bin/chain+0x1142)
 *	    -                chain (16607)
 *	        31
 *
 * wakeuptime has who was woken before its frames and who woke it after them.
 *
 *		target:          sed
 *		ffffffff81399ab9 try_to_wake_up
 *		          waker: bash
 *		35060
 *
 * `--` is there by an option only; else the kernel's frames end with the last function at which the kernel
 * is entered. Addresses are there with -v of libbpf-tools. (trace_helpers.c, profile.c of libbpf-tools.)
 *
 * Folded stacks, as -f prints them: `chain;main;f;-;do_syscall_64 31`, the root first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/dump.h"
#include "util/error.h"

/* Whether a line of LEN bytes, perhaps cut, is of these. */
bool bcc_text_starts(const char *line, size_t len);
bool folded_text_starts(const char *line, size_t len);
/* Reads on while lines are of these or begin with a blank. The error is the collector's. */
struct error *bcc_text_read(struct dump *dump, const struct input_options *options) must_check;
/* Reads on while lines are folded stacks. */
struct error *folded_text_read(struct dump *dump, const struct input_options *options) must_check;
