/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What snapshot.bpf.c sends, and what unwound.c records of itself. */
#pragma once

#include <linux/types.h>

/* This address of the process has the letters of the functions that it is in, main's callees first. */
#define CHAIN_ADDRESS 0x10000000
#define CHAIN_LEN 64

#define SNAPSHOT_CHUNK 256 /* bytes that are copied at once */
#define SNAPSHOT_CHUNKS 24

/* --event-layout 'u32 pid, tid; char comm[64]; u64 ip, sp, bp; u32 len; u8 stack[]' */
struct snapshot_event {
	__u32 pid, tid;
	char chain[CHAIN_LEN];
	__u64 ip, sp, bp;
	__u32 len; /* bytes of the stack that are there */
	__u8 stack[SNAPSHOT_CHUNK * SNAPSHOT_CHUNKS];
};
