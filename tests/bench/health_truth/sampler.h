/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of a process as the kernel takes them for BPF, when a clock ticks. */
#pragma once

#include <linux/types.h>

#define SAMPLED_DEPTH 127 /* PERF_MAX_STACK_DEPTH */

struct sampled {
	__u32 tid, n;			 /* N: slots of the stack */
	__u64 ip, sp;			 /* of the user */
	__u64 values[SAMPLED_DEPTH + 1]; /* one more than is used */
};
