/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is kept of a kernel: where it is read from, its symbols, modules, BPF programs, and the strings that
 * locations point to.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/bpf/prog.h"
#include "kernel/follow/follow.h"
#include "kernel/follow/perf_clock.h"
#include "kernel/kallsyms/kallsyms.h"
#include "kernel/modules.h"
#include "model/frame.h"
#include "process/recording/recording.h"
#include "util/arena.h"
#include "util/table.h"

/* Zero-filled but for what is given (none of it is owned) is unread. */
struct kernel {
	const char *proc_root, *sys_root;  /* given */
	const struct recording *recording; /* given; NULL: none */
	const char *saved;		   /* given: --kallsyms FILE; NULL: none */
	const char *modules_given;	   /* given: --modules FILE or DIR; NULL: none */
	bool source;			   /* given: BPF frames get the text of their line */
	bool tried, modules_tried;
	struct modules modules;
	char *modules_list, *modules_tree; /* owned: what it is read from */
	struct kallsyms kallsyms;
	struct follow *follow; /* changes since these were read; NULL: they are not this system's */
	bool heard_programs;   /* of some that came or went */
	uint64_t refreshed_at; /* ns, CLOCK_MONOTONIC; 0: never */
	uint64_t before;       /* ns, CLOCK_MONOTONIC: no stack without a time is older */
	struct s2l_perf_clock *perf_clock; /* NULL: not needed yet, or not allowed */
	bool perf_clock_tried, perf_clock_known;
	int64_t perf_clock_ahead; /* ns */
	uint64_t perf_clock_at;	  /* ns, CLOCK_MONOTONIC: when that was so; 0: never */
	uint32_t generation;	  /* counts how often the symbols were replaced */
	enum qualify qualify;	  /* given */
	struct table labels;	  /* module name → struct frame_object * */
	struct arena label_strings;
	struct table names; /* names of functions → const char * */
	struct text name;
	struct arena strings;
	bool bpf_tried, bpf_own; /* the programs are of this system: set with bpf_tried */
	struct s2l_bpf_programs bpf;
};

/*
 * True if the addresses belong to another system, or to an earlier boot of this one: what this
 * system says of its modules and BPF programs is not theirs.
 */
bool kernel_is_foreign(const struct kernel *kernel);
/*
 * Whether so much was said of programs and names that it should be forgotten; kernel_forget() does
 * so: what kernel_string() gave and locations of BPF programs point to is gone then.
 */
bool kernel_is_full(const struct kernel *kernel);
void kernel_forget(struct kernel *kernel);
/* A copy of S (LEN bytes) that lives until kernel_forget(); equal strings have one copy. */
const char *kernel_string(struct kernel *kernel, const char *s, size_t len);
/* The object of the frames in MODULE; NULL: in the kernel itself. */
struct frame_object *kernel_label(struct kernel *kernel, const char *module);
/* Of the kernel itself; len 0: unknown. */
struct build_id kernel_build_id(struct kernel *kernel);
/* Its modules; what is known of them is read when asked for. */
struct modules *kernel_modules(struct kernel *kernel);
