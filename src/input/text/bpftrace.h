/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What bpftrace prints: maps whose key has stacks, and stacks by printf(), among other lines;
 * as text, or with `-f json` an object a line.
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
 * A stack stands between newlines, a frame a line, leaf first, by 8 or 4 blanks (0.17) or, by
 * ustack(raw) and ustack(build_id), none. An empty one is nothing (0.17) or a newline. Parts of
 * a key are separated by ", " (JSON: ","), which a text may hold as well: where a map's keys
 * have not all as many parts, their numbers and texts are not used. Keys in JSON have no blanks
 * from 0.2x on: names lack them, a build ID and its offset stand together, and so do an address
 * and the name of ustack(perf).
 *
 * Stacks of printf() stand behind 8 blanks; each is a sample, but for one of a process and one
 * of the kernel that follow each other, which are one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/dump.h"
#include "input/text/blocks.h"
#include "util/error.h"

/*
 * Reads on until a line of which IS_OTHER says that something else starts there, or the end.
 * The error is the collector's, or for what --key names.
 */
struct error *bpftrace_text_read(struct dump *dump, const struct input_options *options,
	struct tool_blocks *blocks,
	bool (*is_other)(struct tool_blocks *blocks, const char *line, size_t len)) must_check;

/* Whether the source is AT bytes before an object of JSON. */
bool bpftrace_json_starts(struct source *source, size_t at);
/* Reads the objects that follow. The error is as above. */
struct error *bpftrace_json_read(struct dump *dump, const struct input_options *options,
	struct tool_blocks *blocks) must_check;
