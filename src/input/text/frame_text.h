/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of stacks as they stand in text of any kind: logs, crash reports, what other tools print.
 *
 *	 func+0x1a/0x40 [mod]                       the kernel; RIP: and pc : before it make it exact
 *	 ./a.out(+0x1139) [0x55d0c8a0b139]          backtrace_symbols() of glibc
 *	 ./a.out(main+0x1f)[0x55d0c8a0b15f]         backtrace_symbols_fd(), or without SYMBOL and offset
 *	 /path/lib.so+0x1234                        seastar, and others that walk their own stack
 *	 [libc.so.6+0x9d2b1]  func+0x21             Java
 *	 #1 0x55d0c8a0b139 in f (/path+0x1139) (BuildId: 4fa9…)       sanitizers
 *	 #1 main <null> (prog+0xd4421) (BuildId: 4fa9…)               TSan
 *	    by 0x10914C: ??? (in /path)                               Valgrind
 *	 #1  0x00007f11c8a0b139 n/a (lib.so + 0x1139)                 systemd-coredump
 *	 #1  0x00007f11c8a0b139 in ?? () from /path                   gdb
 *	 #1  0x00007f11c8a0b139 - 1 - /path                           eu-stack
 *	 7f11c8a0b139 [unknown] (/path)             perf script
 *	 7f11c8a0b139 f+0x9 (/path+0x1139)          perf script -F +dsoff
 *	 4fa9…2c40 digits 0x1139                    bpftrace, by build ID
 *	 0xffffffff81234567                         alone, at the end of its line
 *	 [signal SIGSEGV: … pc=0x47b2c3]            Go, and PC=0x47b2c3 m=0 …
 *	 runtime: g 0: unknown pc 0x7f11c8a0b139    Go, and non-Go function at pc=0x7f11c8a0b139
 *	 prog[12]: segfault at 0 ip 55d0c8a0b139 sp … error 4 in prog[1139,55d0c8a0b000+1000]
 *
 * Nothing is remembered from line to line: frame_context.h and frame_owner.h do that. Nothing is copied.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Who wrote it: that decides what is exact. */
enum text_frame_form {
	TEXT_KERNEL,
	TEXT_GLIBC,
	TEXT_PATH,
	TEXT_JAVA,
	TEXT_SANITIZER,
	TEXT_SYSTEMD,
	TEXT_VALGRIND,
	TEXT_GDB,
	TEXT_EU_STACK,
	TEXT_PERF,
	TEXT_BUILD_ID,
	TEXT_ALONE,
	TEXT_FAULT,
};

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
	uint64_t address;	  /* of the process; 0: not said */
	int64_t pid;		  /* -1: not said */
	struct build_id build_id; /* len 0: not said */
	bool sure; /* TEXT_FROM_LOAD: VALUE is an ELF address, as the load bias was subtracted */
	bool unreliable; /* the kernel says so by `? ` before it */
	bool exact; /* the value is that of an instruction, not the return address behind a call */
};

/*
 * The next frame in PART, which lies in one line and holds no quotes and no escape sequences (see
 * line_parts.h); what was looked at is taken off its front. False: there is none, and PART is left
 * as it is. A frame that has a file and line already is none.
 */
bool frame_text_next(struct scan *part, struct text_frame *ret);
