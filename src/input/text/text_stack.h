/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the stacks of a sample from frames that other tools printed, with a name, an address or a
 * file offset. Names are kept, and marked by who gave them (enum frame_source). Frames without a
 * name become entries to be resolved.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/dump.h"
#include "input/lists/addresses.h"
#include "input/text/blocks.h"
#include "input/text/patterns.h"
#include "model/frame.h"
#include "model/stack.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/table.h"
#include "util/vec.h"

#define TEXT_STACK_FRAMES_MAX 4096 /* frames of a stack; more, towards the root, are left out */

/* A frame as printed. */
struct tool_frame {
	const char *name;   /* NULL: none */
	const char *object; /* path as the process saw it, or "[vdso]"; NULL: unknown */
	const char *file;   /* source file; NULL: unknown */
	uint32_t line;	    /* 0: unknown */
	struct build_id build_id;
	uint64_t address, offset, file_offset; /* OFFSET: from the function's start, in bytes */
	bool has_address, has_offset, has_file_offset;
	bool maybe_address; /* FILE_OFFSET may also be an address in a program at a fixed address */
	bool inlined;	    /* into the frame that is added next */
	bool kernel;	    /* in the kernel stack; as matched: the object is of the kernel */
	enum address_side side_by_name; /* what its function shows; SIDE_UNKNOWN: nothing */
};

struct text_slots {
	struct slots all;
	struct VEC(struct frame) open; /* inlined, until the function around them is added */
	uint64_t left_out;	       /* number of frames beyond TEXT_STACK_FRAMES_MAX */
};

struct text_stack {
	/* set by the reader; the other fields are zero at first */
	enum frame_source source; /* of the names */
	struct dump *dump;	  /* its collector receives the samples */
	struct tool_blocks *blocks;
	struct VEC(struct tool_frame) frames; /* as read, leaf first */
	struct text_slots sides[2]; /* frames that were added; [0]: user stack, [1]: kernel stack */
	struct arena memory;	    /* of all frames */
	/* lines read before, which mostly recur: by tool, line → its struct kept_line in KEPT */
	struct table lines[TOOLS];
	struct arena kept;
};

void text_stack_deinit(struct text_stack *stack);
/* Removes all frames. */
void text_stack_clear(struct text_stack *stack);
/*
 * Matches LINE with the rows of TOOL. Returns LINE_START if none matches. Sets FRAME_RET, whose
 * strings live until text_stack_clear(), if the line is a frame or source line, else MATCH_RET.
 */
enum line_act text_stack_line(struct text_stack *stack, enum block_tool tool, struct scan line,
	struct tool_frame *frame_ret, struct pattern_match *match_ret);
/*
 * Adds a frame, after those that it called. Between this and text_stack_give() nothing else may
 * pass samples to the collector.
 */
void text_stack_add(struct text_stack *stack, const struct tool_frame *frame);
/*
 * Sets the stacks of SAMPLE from the frames that were added since the last call, and passes it to
 * the collector.
 */
struct error *text_stack_give(struct text_stack *stack, struct sample *sample) must_check;

/*
 * Returns the addresses of N frames, to compare them with processes, without zeros and those that
 * are looked up by build ID. UNNAMED_RET may be NULL: set to true if some of them have no name.
 */
struct stack text_stack_addresses(
	struct text_stack *stack, const struct tool_frame *frames, size_t n, bool *unnamed_ret);
