/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the samples of perf script, bcc, libbpf-tools and folded text, from the blocks of lines
 * (blocks.h) that they print.
 *
 * perf script prints kernel frames before user frames, leaf first. User addresses are file offsets
 * before perf 6.10 or so, and addresses of the process since. The first number that can be only one
 * of the two decides for the source. A sample has weight 1; with --key weight=period, its period.
 * Only samples of the source's first event are read: counts of several events do not add up.
 *
 * bcc and libbpf-tools print `--` after the kernel frames only if an option asks for it. Otherwise
 * the kernel frames end with the last function at which the kernel is entered. wakeuptime prints
 * the woken thread before its frames and the waker after them. memleak prints all allocations
 * repeatedly: only the last list is read, and the weight of a stack is its bytes.
 *
 * Folded stacks have the root first, and perhaps a comm before it.
 */
#pragma once

#include "input/dump.h"
#include "input/text/blocks.h"
#include "util/error.h"

struct block_reader;

/*
 * Creates the reader for the blocks of one source, whatever else is between them. The caller frees
 * RET, also on error. The error says what is wrong with --key.
 */
struct error *block_reader_create(struct dump *dump, const struct input_options *options,
	struct tool_blocks *blocks, struct block_reader **ret) must_check;
void block_reader_cleanup(struct block_reader **reader);
/* Reads lines while they are of TOOL. The error is the collector's, or concerns --key. */
struct error *block_reader_read(struct block_reader *reader, enum block_tool tool) must_check;
/* Warns of what was skipped in the source. */
void block_reader_end(const struct block_reader *reader);
