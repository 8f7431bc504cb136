/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a sample as other tools print them: of each frame what the text has, a name or
 * an address or where it is in which file. Names stay as they are, marked by who gave them
 * (enum frame_source); what has none becomes a slot to look up.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/dump.h"
#include "input/lists/addresses.h"
#include "input/lists/slots.h"
#include "input/text/patterns.h"
#include "model/frame.h"
#include "model/stack.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/scan.h"
#include "util/vec.h"

#define TEXT_STACK_FRAMES_MAX 4096 /* of a stack; the rest, towards its root, is left out */

/* A frame as it stands there; bytes of the text need live no longer than the call that adds it. */
struct tool_frame {
	struct scan name;   /* empty: none */
	struct scan object; /* the file, as the process saw it, or "[vdso]"; empty: unknown */
	struct scan file;   /* of the source; empty: unknown */
	uint32_t line;	    /* 0: unknown */
	struct build_id build_id;
	uint64_t address, offset, file_offset; /* OFFSET is in the function */
	bool has_address, has_offset, has_file_offset;
	bool maybe_address; /* FILE_OFFSET may be the address of a program that is not moved */
	bool inlined;	    /* into the frame that is added next */
	bool kernel;	    /* of the kernel's stack */
};

/* What MATCH has of a frame. */
struct tool_frame tool_frame_of(const struct pattern_match *match);

struct text_slots {
	struct slots all;
	struct VEC(struct frame) open; /* inlined ones, whose host is still to come */
	uint64_t left_out;	       /* frames that there were too many of */
};

struct text_stack {
	enum frame_source source;   /* whose names they are; the rest is zero-filled at first */
	struct text_slots sides[2]; /* of the process, and of the kernel */
	struct arena memory;
};

void text_stack_deinit(struct text_stack *stack);
/* Forgets the frames. */
void text_stack_clear(struct text_stack *stack);
/* Adds a frame, after those that it called. */
void text_stack_add(struct text_stack *stack, const struct tool_frame *frame);
/* Gives SAMPLE, whose stacks are made of the frames, to the dump's collector. */
struct error *text_stack_give(
	struct text_stack *stack, struct dump *dump, struct sample *sample) must_check;

/* Whose function NAME is: where the kernel is entered, and where programs begin, names say it. */
enum address_side tool_side_of_name(struct scan name);
/* Whether process or thread PID lives or is recorded. */
bool tool_process_is_known(const struct input_options *options, int64_t pid);
/*
 * SAMPLE's process and thread where the tool prints NUMBER, which is that of a thread if some
 * process has such a one; else the process is that of options->pid, or the number is all that
 * is known.
 */
void tool_thread(const struct input_options *options, int64_t number, struct sample *sample);
