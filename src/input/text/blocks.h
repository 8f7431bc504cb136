/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches the lines of the stacks that other tools print: blocks with a head, frames and a tail.
 * The table in blocks.c has the patterns of each tool. block_reader.h turns the blocks into
 * samples.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/text/patterns.h"
#include "util/scan.h"

enum block_tool {
	TOOL_PERF,
	TOOL_BCC, /* and libbpf-tools */
	TOOL_MEMLEAK,
	TOOL_FOLDED,
	TOOL_FOLDED_PART, /* a component of a folded line */
	TOOL_BPFTRACE,
	TOOL_BPFTRACE_JOINED,  /* keys in its JSON, which have no blanks */
	TOOL_BPFTRACE_PRINTED, /* stacks printed by printf() */
	TOOL_GADGET_TEXT,      /* columns and YAML of Inspektor Gadget */
	TOOL_GADGET_SYMBOL,    /* an entry of Inspektor Gadget's ustack.symbols or kstack */
	TOOL_GADGET_ADDRESS,
	TOOL_GADGET_ID,
	TOOL_LOG, /* lines of logs with facts about the frames after them */
	TOOL_GDB, /* only the heads of threads */
	TOOL_EU_STACK,
	TOOL_BARE_PERF, /* perf script output without comm, thread or time */
	TOOLS,
};

enum line_act {
	LINE_START,	/* the first line of a text, perhaps truncated to 256 bytes */
	LINE_HEAD,	/* begins a sample */
	LINE_NO_SAMPLE, /* begins something other than a sample */
	LINE_LIST,	/* begins a list, which replaces the samples of earlier lists */
	LINE_FRAME,
	LINE_SOURCE_LINE, /* source line of the frame before it */
	LINE_DELIMITER,	  /* separates kernel frames (before) from user frames */
	LINE_OWNER,	  /* names the comm of the frames before it; the weight follows */
	LINE_TAIL,	  /* ends a sample with its weight */
	LINE_DEFERRED,	  /* the user stack is printed elsewhere */
	LINE_REMARK,	  /* any other known line */
};

struct block_row {
	enum block_tool tool;
	enum line_act act;
	const char *pattern;
	const char *example;
};

/*
 * Returns the table, and its number of rows in N_RET. The rows of a tool are adjacent, in the order
 * in which they are tried.
 */
const struct block_row *blocks_table(size_t *n_ret);

/* Compiled patterns of the table. Each is compiled on first use. */
struct tool_blocks;
struct tool_blocks *blocks_create(void);
void blocks_cleanup(struct tool_blocks **blocks);
/* Returns true if a text of TOOL can begin with LINE, which may be truncated. */
bool blocks_start(struct tool_blocks *blocks, enum block_tool tool, struct scan line);
/*
 * Matches LINE with the rows of TOOL, except those of LINE_START. Returns LINE_START if none
 * matches. RET points into LINE.
 */
enum line_act blocks_line(struct tool_blocks *blocks, enum block_tool tool, struct scan line,
	struct pattern_match *ret);
