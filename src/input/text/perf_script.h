/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of `perf script`: a header for each sample and a frame a line, leaf first, kernel before user.
 *
 *	chain 24986/24986 [001] 68586.592577:    5025125 cpu-clock:pppH:
 *		ffffffff821ecc51 do_syscall_64+0x71 ([kernel.kallsyms])
 *		            1142 spin_leaf+0x9 (/usr/bin/chain)
 *	  chain.c:12
 *		    56335aa1816b [unknown] (/usr/bin/chain+0x116b)
 *	           chain 24986/24986 [001] 68586.592577:    5025125 cpu-clock:pppH:      56335aa1816b spin_leaf+0x9 (/usr/bin/chain)
 *
 * comm; process and thread, or thread alone; CPU; seconds; period; event. User addresses are offsets in the
 * file before perf 6.10 or so, and addresses of the process after; a number says which, once one is met
 * that is only one of the two. (evsel_fprintf.c and builtin-script.c in tools/perf.)
 *
 * A sample weighs 1, with --key weight=period its period. Samples of one event are read, the first of the
 * source: those of several do not add up.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/dump.h"
#include "util/error.h"
#include "util/scan.h"

struct perf_header {
	struct scan comm, event; /* EVENT empty: it is not printed */
	struct scan rest;	 /* after it */
	int64_t pid, tid;	 /* -1: the task has exited, and its number is unknown */
	uint64_t period;
	uint64_t time; /* ns */
	bool has_pid;  /* as process/thread; else it may be a thread */
};

/* The header of a sample in LINE, perhaps cut; false: it is none. */
bool perf_header_parse(struct scan line, struct perf_header *ret);
struct perf_script;

/*
 * Returns true if LINE, perhaps cut, begins as a frame below a header does, or has one after a comm and IDs, without a
 * time (-G).
 */
bool perf_frame_starts(struct scan line);

/* Reads the text of one source, whatever else is between its samples. RET is the
 * caller's, even on error. */
struct error *perf_script_create(struct dump *dump, const struct input_options *options,
	struct perf_script **ret) must_check;
void perf_script_cleanup(struct perf_script **script);
/* Reads all samples that follow. The error is the collector's, or for what --key names. */
struct error *perf_script_read(struct perf_script *script) must_check;
/* Reports what was left out of the source. */
void perf_script_end(const struct perf_script *script);
