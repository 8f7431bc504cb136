/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What frames.bpf.c and its loader share. */
#pragma once

#include <linux/types.h>

struct frames_key {
	__u32 pid;
	__s32 kernel;
};
