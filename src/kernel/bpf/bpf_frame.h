/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames in BPF programs. They keep the name used by kallsyms, bpftrace and perf,
 * bpf_prog_TAG_NAME, because NAME alone is ambiguous. The kernel provides the source line if the
 * program loaded now is the one of that name: same start, same tag, and the address is within it.
 */
#pragma once

#include "kernel/kernel.h"

/* Returns the programs of this system, or NULL if the addresses are of another system. */
struct s2l_bpf_programs *bpf_frame_programs(struct kernel *kernel);
/*
 * Describes FRAME, which is named by a [bpf] symbol that covers LOOKUP: adds file, line and column,
 * or sets LOCATION's detail to the reason why there are none. Removes the name if the program ends
 * before LOOKUP. CODE is what kernel events say was there at the time of the stack; NULL if only
 * kallsyms is known.
 */
void bpf_frame_describe(struct kernel *kernel, uint64_t lookup, const struct loaded_code *code,
	struct location *location, struct frame *frame);
/* Marks LOCATION as [bpf] code, with this status. */
void bpf_frame_locate(struct kernel *kernel, enum frame_status status, struct location *location);
/*
 * Names FRAME if a BPF program loaded now covers LOOKUP, which no symbol does: programs have no
 * symbols if net.core.bpf_jit_kallsyms is 0. If a program must have been there, sets the status to
 * FRAME_BPF_GONE.
 */
void bpf_frame_name(
	struct kernel *kernel, uint64_t lookup, struct location *location, struct frame *frame);

/*
 * Describes the code at LOOKUP as recorded, if there is a recording. Renames FRAME if the recorded
 * program differs from the one found, and adds the source line. TIME is the time of the sample (ns,
 * CLOCK_MONOTONIC); 0 if unknown.
 */
void bpf_frame_recorded(struct kernel *kernel, uint64_t lookup, uint64_t time,
	struct location *location, struct frame *frame);

/*
 * Returns the type ID of the function that starts at START; 0 if it is unknown, or if kallsyms does
 * not call it SYMBOL. Sets RET to the BTF of its program.
 */
uint32_t bpf_frame_type(
	struct kernel *kernel, uint64_t start, const char *symbol, const struct btf **ret);
