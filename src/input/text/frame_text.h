/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads frames of stacks in text of any kind: logs, crash reports, output of other tools. The table
 * of their forms is in forms.c. Frames point into the text, which is not
 * copied. No state is kept between lines, except by frame_context.h and frame_owner.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/text/forms.h"
#include "model/build_id.h"
#include "util/scan.h"

/* The meaning of the VALUE of a frame. */
enum text_frame_value {
	TEXT_FROM_SYMBOL, /* offset from the start of SYMBOL, in bytes */
	TEXT_FROM_LOAD,	  /* offset from the object's load address, in bytes */
	TEXT_FROM_FILE,	  /* offset in the object's file, in bytes */
	TEXT_FROM_MAP,	  /* offset from the start of the object's code mapping, in bytes */
	TEXT_ADDRESS,	  /* address in the process or the kernel */
};

enum { OWNER_COMM_MAX = 15 /* bytes: TASK_COMM_LEN without its NUL */ };

struct frame_owner {
	int64_t pid, tid;	       /* -1: not given */
	char comm[OWNER_COMM_MAX + 1]; /* empty: not given */
	uint64_t time;		       /* in ns, of perf's clock; 0: not given */
};

/* Returns what MATCH says about the thread of a stack. */
struct frame_owner frame_owner_of(const struct pattern_match *match);

struct text_frame {
	enum text_frame_form form;
	enum text_frame_value counts; /* meaning of VALUE */
	struct scan text;	      /* the part of the line that a name replaces or follows */
	struct scan symbol;	      /* function named by the text; empty: none */
	/* path or name of the object, or kernel module; empty: none, or the kernel itself */
	struct scan object;
	uint64_t value;
	/* bytes of SYMBOL with TEXT_KERNEL, of the mapping with TEXT_FROM_MAP; 0: not given */
	uint64_t size;
	uint64_t address; /* address in the process or the kernel; 0: not given */
	int64_t pid;	  /* -1: not given */
	/* from the frame itself, or from the line above the stack (frame_owner.h) */
	struct frame_owner owner;
	struct build_id build_id; /* len 0: not given */
	bool sure;	 /* TEXT_FROM_LOAD: VALUE is an ELF address (load bias subtracted) */
	bool unreliable; /* the kernel marked the frame with `? ` */
	bool exact;	 /* VALUE is of an instruction, not a return address after a call */
};

/*
 * Reads the next frame in the part given to forms_begin(), which is within one line and has no
 * quotes and no escape sequences (see line_parts.h). Skips frames that are already resolved to a
 * source line. Returns false at the end.
 */
bool frame_text_next(struct forms *forms, struct text_frame *ret);
