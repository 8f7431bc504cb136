/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks as bpftrace 0.25 and later keeps them inside keys and values (its
 * IRBuilderBPF::GetStackStructType()), in native byte order:
 *
 *	ustack(N)            s32 pid; s32 probe_id; u64 nr; u64 ip[N]
 *	ustack(build_id, N)  the same, struct bpf_stack_build_id[N] instead of ip
 *	kstack(N)            u64 nr; u64 ip[N]
 *
 * NR slots are in use, those after them may hold anything. Where there is no stack all is zero.
 *
 * PID is the process (tgid), not the thread: bpf_get_current_pid_tgid() >> 32 (CreateGetPid() of
 * CodegenLLVM::ustack(); seen with threads under 0.27.1). A bpftrace in a PID namespace stores the
 * number that the process has there.
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
	BPFTRACE_OPEN,	/* an empty one, or one whose leaf is no address (a jump into nowhere) */
	BPFTRACE_FITS,
};

struct bpftrace_stack {
	int64_t pid;	      /* -1: unknown */
	const uint8_t *slots; /* into the bytes that were read; not aligned */
	size_t slot_size;     /* bytes */
	size_t nr;	      /* slots in use */
	size_t room;	      /* slots that are there */
};

/* Bytes before the slots of a stack of KIND. */
size_t bpftrace_header_size(enum bpftrace_kind kind);
/* On the machine of HALVES; where no number tells, by the rule of the others: see struct count_map.
 */
enum address_side bpftrace_side(const struct address_halves *halves, uint64_t value);
/*
 * Reads the LEN bytes at BYTES as a stack of KIND; what is left behind the last whole slot is
 * ignored. RET is set unless they are UNFIT. Texts never fit: they hold no zero before their end,
 * where a small NR has some.
 */
enum bpftrace_fit bpftrace_stack_read(enum bpftrace_kind kind, const struct address_halves *halves,
	const uint8_t *bytes, size_t len, struct bpftrace_stack *ret);
