/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks as other tools print them are blocks of lines: a head, frames, a tail. blocks.c has
 * the table of what the lines of each tool look like; block_reader.h makes samples of them.
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
	TOOL_FOLDED_PART, /* what semicolons separate */
	TOOL_BPFTRACE,
	TOOL_BPFTRACE_JOINED,  /* its JSON without blanks */
	TOOL_BPFTRACE_PRINTED, /* frames by printf() */
	TOOL_GADGET_TEXT,      /* columns and YAML of Inspektor Gadget */
	TOOL_GADGET_SYMBOL,    /* what semicolons separate in fields of Inspektor Gadget */
	TOOL_GADGET_ADDRESS,
	TOOL_GADGET_ID,
	TOOL_LOG, /* what lines say of frames after them */
	TOOL_GDB, /* only heads, of threads */
	TOOL_EU_STACK,
	TOOL_BARE_PERF, /* perf script without what a sample needs besides frames */
	TOOLS,
};

enum line_act {
	LINE_START,	/* how a text begins, of which perhaps no more than 256 bytes are seen */
	LINE_HEAD,	/* begins a sample */
	LINE_NO_SAMPLE, /* begins what is none */
	LINE_LIST,	/* begins all samples anew */
	LINE_FRAME,
	LINE_SOURCE_LINE, /* of the frame before it */
	LINE_DELIMITER,	  /* the frames before it are the kernel's */
	LINE_OWNER,	  /* of the frames before it: the weight follows */
	LINE_TAIL,	  /* ends a sample with its weight */
	LINE_DEFERRED,	  /* the user stack is somewhere else */
	LINE_REMARK,	  /* says nothing of stacks */
};

struct block_row {
	enum block_tool tool;
	enum line_act act;
	const char *pattern;
	const char *example; /* of a line */
};

/* The table, in which the rows of a tool follow each other in the order in which they are tried. */
const struct block_row *blocks_table(size_t *n_ret);

/* Compiles patterns when they are first used. */
struct tool_blocks;
struct tool_blocks *blocks_create(void);
void blocks_cleanup(struct tool_blocks **blocks);
/* Returns true if LINE, perhaps cut, is one with which a text of TOOL begins. */
bool blocks_start(struct tool_blocks *blocks, enum block_tool tool, struct scan line);
/*
 * Returns true if LINE is one of TOOL; else ACT_RET stays as it is. Frames that came of late
 * are known by their text.
 */
bool blocks_line(struct tool_blocks *blocks, enum block_tool tool, struct scan line,
	enum line_act *act_ret, struct pattern_match *ret);
