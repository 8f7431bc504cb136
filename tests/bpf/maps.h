/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layouts that the capture program and its loader share. Each is what some known tool has, so
 * that the dumps of one run cover the forms that people have.
 */
#pragma once

#include <linux/types.h>

#define STACK_DEPTH 127 /* PERF_MAX_STACK_DEPTH */
#define INLINE_DEPTH 24 /* slots of an inline stack: the chains of the workloads are shorter */
#define COMM_LEN 16

/* libbpf-tools profile: 28 bytes. */
struct count_key {
	__u32 pid; /* tgid */
	__s32 user;
	__s32 kernel;
	char comm[COMM_LEN];
};

/* libbpf-tools offcputime: comm and weight are in the value. */
struct offcpu_key {
	__u32 pid; /* a tid */
	__u32 tgid;
	__s32 user;
	__s32 kern;
};

struct offcpu_value {
	__u64 delta;
	char comm[COMM_LEN];
};

/* libbpf-tools memleak: the key is an address, the stack is named by the value. */
struct alloc_value {
	__u64 size;
	__u64 timestamp_ns;
	__s32 stack_id;
};

/* Stacks inside the key, and in events. Unused slots are zero. */
struct inline_key {
	char comm[COMM_LEN];
	__u32 pid;
	__u32 unused;
	__u64 ustack[INLINE_DEPTH];
	__u64 kstack[INLINE_DEPTH];
};

/* What to sample: the one element of the map "target". */
struct capture_target {
	__u64 syscall; /* number, for on_syscall */
	__u32 tgid;    /* 0: nothing is sampled */
	__u32 unused;
	__u64 cgroup; /* not 0: on_clock samples all processes of the cgroup with this ID, in stacks.bpf.c */
};
