/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of stacks in text of any kind: logs, crash reports, what other tools print. forms.c
 * has the table of what they look like.
 *
 * Nothing is remembered from line to line: frame_context.h and frame_owner.h do that. Nothing
 * is copied.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/text/forms.h"
#include "model/build_id.h"
#include "util/scan.h"

/* What `value` of a frame is. */
enum text_frame_value {
	TEXT_FROM_SYMBOL, /* bytes from where SYMBOL begins */
	TEXT_FROM_LOAD,	  /* bytes from where the object is loaded */
	TEXT_FROM_FILE,	  /* bytes from the beginning of the object's file */
	TEXT_FROM_MAP, /* bytes from where the mapping of the object begins that holds the code */
	TEXT_ADDRESS,  /* an address of the process, or of the kernel */
};

enum { OWNER_COMM_MAX = 15 /* bytes: TASK_COMM_LEN without its NUL */ };

struct frame_owner {
	int64_t pid, tid;	       /* -1: not said */
	char comm[OWNER_COMM_MAX + 1]; /* empty: not said */
	uint64_t time;		       /* ns, as perf's samples have it; 0: not said */
};

/* What MATCH says of the thread that a stack is of. */
struct frame_owner frame_owner_of(const struct pattern_match *match);

struct text_frame {
	enum text_frame_form form;
	enum text_frame_value counts; /* what VALUE is */
	struct scan text;	      /* the bytes that a name would replace, or stand behind */
	struct scan symbol;	      /* the function that the text names; empty: none */
	struct scan
		object; /* path or name of the object, of a kernel's frame the module; empty: none, or the kernel itself */
	uint64_t value;
	uint64_t
		size; /* of SYMBOL with TEXT_KERNEL, of the mapping with TEXT_FROM_MAP; 0: not said */
	uint64_t address; /* of the process; 0: not said */
	int64_t pid;	  /* -1: not said */
	struct frame_owner
		owner; /* by the frame itself, or by the line above the stack (frame_owner.h) */
	struct build_id build_id; /* len 0: not said */
	bool sure; /* TEXT_FROM_LOAD: VALUE is an ELF address, as the load bias was subtracted */
	bool unreliable; /* the kernel says so by `? ` before it */
	bool exact; /* the value is that of an instruction, not the return address behind a call */
};

/*
 * Reads the next frame in the part that forms_begin() was given, which lies in one line and
 * holds no quotes and no escape sequences (see line_parts.h). Returns false at the end. A frame
 * that has a file and line already is none.
 */
bool frame_text_next(struct forms *forms, struct text_frame *ret);
