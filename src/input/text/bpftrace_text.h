/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What bpftrace prints: maps whose key has stacks, and stacks by printf(), among other lines.
 *
 *	@[
 *	        spin_leaf+9
 *	        0x55833586d1b9
 *	,
 *	, chain, 14713]: 222
 *
 * A stack stands between newlines, a frame a line, leaf first, by 8 or 4 blanks (0.17) or, by ustack(raw) and
 * ustack(build_id), none. An empty one is nothing (0.17) or a newline. Parts of a key are separated
 * by ", ", which a text may hold as well: where a map's keys have not all as many parts, their numbers and
 * texts are not used.
 *
 * Stacks of printf() stand behind 8 blanks; each is a sample, but for one of a process and one of the kernel
 * that follow each other, which are one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/dump.h"
#include "input/text/blocks.h"
#include "util/error.h"

/*
 * Reads on until a line of which IS_OTHER says that something else starts there, or the end. The error is the
 * collector's, or for what --key names.
 */
struct error *bpftrace_text_read(struct dump *dump, const struct input_options *options,
	struct tool_blocks *blocks,
	bool (*is_other)(struct tool_blocks *blocks, const char *line, size_t len)) must_check;
