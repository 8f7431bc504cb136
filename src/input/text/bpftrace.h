/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what bpftrace prints: maps whose keys have stacks, and stacks printed by printf(), among
 * other lines. The output is text, or, with `-f json`, one object per line.
 *
 *	@a[
 *	        spin_leaf+9
 *	        0x55833586d1b9
 *	,
 *	, chain, 14713]: 222
 *
 *	{"type": "map", "data": {"@a": {"\nspin_leaf+9\n0x55833586d1b9\n,\n,chain,14713": 222}}}
 *	{"type": "printf", "data": "chain 14713\n        spin_leaf+9\n\n"}
 *
 * A stack in a key begins with a newline and has one frame per line, leaf first. Frames are
 * indented by 8 blanks, by 4 in 0.17, and not at all with ustack(raw) and ustack(build_id). An
 * empty stack is an empty string in 0.17, else a newline.
 *
 * The parts of a key are separated by ", " (JSON: ","), which may also occur in a text. So if the
 * keys of a map differ in their number of parts, their numbers and texts are not used. From 0.2x
 * on, keys in JSON have no blanks: names lose theirs, a build ID is joined to its offset, and an
 * address to the name that ustack(perf) prints after it.
 *
 * Stacks of printf() are indented by 8 blanks. Each is a sample, except that a user stack and a
 * kernel stack in succession form one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/dump.h"
#include "input/text/blocks.h"
#include "util/error.h"

/*
 * Reads lines up to the first of another dump, or the end. The error is the collector's, or
 * concerns --key.
 */
struct error *bpftrace_text_read(struct dump *dump, const struct input_options *options,
	struct tool_blocks *blocks) must_check;

/* Returns true if an object of bpftrace's JSON begins AT bytes after the source's position. */
bool bpftrace_json_starts(struct source *source, size_t at);
/* Reads objects as long as they follow each other. Errors are those of bpftrace_text_read(). */
struct error *bpftrace_json_read(struct dump *dump, const struct input_options *options,
	struct tool_blocks *blocks) must_check;
