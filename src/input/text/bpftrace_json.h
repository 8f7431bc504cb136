/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `bpftrace -f json` prints: an object a line.
 *
 *	{"type": "map", "data": {"@a": {"\nspin_leaf+9\n0x55833586d1b9\n,\n,chain,14713": 222}}}
 *	{"type": "printf", "data": "chain 14713\n        spin_leaf+9\n\n"}
 *
 * Keys are the text of the key (bpftrace_text.h) with "," between parts, and from 0.2x on without blanks:
 * names lack them, a build ID and its offset stand together, and so do an address and the name of
 * ustack(perf). All stacks of one printf() are of one sample.
 */
#pragma once

#include <stdbool.h>

#include "input/dump.h"
#include "input/text/blocks.h"
#include "util/error.h"

/* Whether the source is AT bytes before an object of these. */
bool bpftrace_json_starts(struct source *source, size_t at);
/* Reads the objects that follow. The error is the collector's, or for what --key names. */
struct error *bpftrace_json_read(struct dump *dump, const struct input_options *options,
	struct tool_blocks *blocks) must_check;
