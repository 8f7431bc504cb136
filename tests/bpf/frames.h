/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What frames.bpf.c and its loader share. */
#ifndef TESTS_BPF_FRAMES_H
#define TESTS_BPF_FRAMES_H

#include <linux/types.h>

struct frames_key {
	__u32 pid;
	__s32 kernel;
};

#endif
