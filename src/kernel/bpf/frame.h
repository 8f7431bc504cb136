/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames in BPF programs. They keep the name that kallsyms, bpftrace and perf give them,
 * bpf_prog_TAG_NAME: NAME alone is not one function's. The kernel adds the source line if the
 * program that is loaded now is the one of that name: same start, same tag, address within it.
 */
#pragma once

#include "kernel/state.h"

/* The addresses are of this system, which can be asked about its BPF programs. */
bool bpf_frame_can_ask(struct kernel *kernel);
/*
 * FRAME is named by a [bpf] symbol that holds LOOKUP: adds file, line and column, or to LOCATION
 * the reason why there are none; or takes the name back, if the program ends before LOOKUP. CODE: the
 * kernel said that it was there then; NULL: it is known from kallsyms only.
 */
void bpf_frame_describe(struct kernel *kernel, uint64_t lookup, const struct code_life *code,
	struct location *location, struct frame *frame);
/* Sets what LOCATION is, code of [bpf], and how far it is named and by what. */
void bpf_frame_locate(struct kernel *kernel, enum frame_status status, enum frame_source source,
	struct location *location);
/*
 * No symbol holds LOOKUP. BPF programs can be loaded without one (net.core.bpf_jit_kallsyms = 0):
 * names FRAME if one is there; or says so, if one must have been.
 */
void bpf_frame_name(
	struct kernel *kernel, uint64_t lookup, struct location *location, struct frame *frame);

/*
 * What the recording, if there is one, has of LOOKUP's code: names FRAME by it if that is another
 * than was found now, and adds the line. TIME (ns, CLOCK_MONOTONIC) is that of the sample, 0: unknown.
 */
void bpf_frame_recorded(struct kernel *kernel, uint64_t lookup, uint64_t time,
	struct location *location, struct frame *frame);

/*
 * The type of the function that starts at START in the BTF of its program, if it is the one that
 * kallsyms calls SYMBOL; 0: unknown.
 */
uint32_t bpf_frame_type(
	struct kernel *kernel, uint64_t start, const char *symbol, const struct btf **ret);
