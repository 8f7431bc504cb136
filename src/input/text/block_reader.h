/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes samples of the blocks (blocks.h) that perf script, bcc, libbpf-tools and folded text have.
 *
 * perf script: frames of the kernel before those of the process, leaf first. User addresses are
 * offsets in the file before perf 6.10 or so, and addresses of the process after; a number says
 * which, once one is met that is only one of the two. A sample weighs 1, with --key
 * weight=period its period. Samples of one event are read, the first of the source: those of
 * several do not add up.
 *
 * bcc, libbpf-tools: `--` after the kernel's frames is there by an option only; else they end
 * with the last function at which the kernel is entered. wakeuptime has who was woken before
 * its frames and who woke it after them. memleak prints all allocations again and again: the
 * last list counts, and a stack weighs its bytes.
 *
 * Folded stacks have the root first, and perhaps a comm before it.
 */
#pragma once

#include "input/dump.h"
#include "input/text/blocks.h"
#include "util/error.h"

struct block_reader;

/*
 * Reads the blocks of one source, whatever else is between them. RET is the caller's, even on
 * error.
 */
struct error *block_reader_create(struct dump *dump, const struct input_options *options,
	struct tool_blocks *blocks, struct block_reader **ret) must_check;
void block_reader_cleanup(struct block_reader **reader);
/* Reads on while lines are of TOOL. The error is the collector's, or for what --key names. */
struct error *block_reader_read(struct block_reader *reader, enum block_tool tool) must_check;
/* Reports what was left out of the source. */
void block_reader_end(const struct block_reader *reader);
