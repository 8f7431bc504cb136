/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads stacks that bpftrace 0.25 and later keeps inside keys and values, in native byte order
 * (IRBuilderBPF::GetStackStructType() of bpftrace):
 *
 *	ustack(N)            s32 pid; s32 probe_id; u64 nr; u64 ip[N]
 *	ustack(build_id, N)  the same, struct bpf_stack_build_id[N] instead of ip
 *	kstack(N)            u64 nr; u64 ip[N]
 *
 * The first NR slots are used; the others may contain anything. Without a stack all bytes are zero.
 *
 * PID is the process (tgid), not the thread: bpf_get_current_pid_tgid() >> 32 (CreateGetPid() of
 * CodegenLLVM::ustack(); checked with threads under 0.27.1). In a PID namespace, bpftrace stores
 * the PID of that namespace.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "input/lists/addresses.h"

enum bpftrace_kind {
	BPFTRACE_USER,	       /* addresses */
	BPFTRACE_USER_RECORDS, /* struct bpf_stack_build_id */
	BPFTRACE_KERNEL,
};

enum bpftrace_fit {
	BPFTRACE_UNFIT, /* cannot be such a stack */
	BPFTRACE_OPEN,	/* empty, or without any valid address where one is expected */
	BPFTRACE_FITS,
};

struct bpftrace_stack {
	int64_t pid;	      /* -1: unknown */
	const uint8_t *slots; /* pointer into the bytes that were read; not aligned */
	size_t slot_size;     /* bytes */
	size_t nr;	      /* used slots */
	size_t room;	      /* all slots */
};

/* Returns the number of bytes before the slots of a stack of KIND. */
size_t bpftrace_header_size(enum bpftrace_kind kind);
/*
 * Returns the side of an address on the machine of HALVES. With overlapping address spaces it
 * returns the side on other machines; see `sideless` in struct count_map.
 */
enum address_side bpftrace_side(const struct address_halves *halves, uint64_t value);
/*
 * Reads the LEN bytes at BYTES as a stack of KIND, and ignores an incomplete slot at the end. Sets
 * RET unless the result is BPFTRACE_UNFIT. Text never fits, because a small NR contains zero bytes.
 */
enum bpftrace_fit bpftrace_stack_read(enum bpftrace_kind kind, const struct address_halves *halves,
	const uint8_t *bytes, size_t len, struct bpftrace_stack *ret);
