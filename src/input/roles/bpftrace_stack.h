/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads stacks that bpftrace keeps inside keys and values, in native byte order
 * (IRBuilderBPF::GetStackStructType() of bpftrace). From 0.25 on:
 *
 *	ustack(N)            s32 pid; s32 probe_id; u64 nr; u64 ip[N]
 *	ustack(build_id, N)  the same, struct bpf_stack_build_id[N] instead of ip
 *	kstack(N)            u64 nr; u64 ip[N]
 *
 * The first NR slots are used; the others may contain anything. From 0.21 to 0.24, the stacks are
 * in a hash, and keys and values refer to them. NR is a u32 up to 0.22, also in the key of 0.23:
 *
 *	ustack(N)            u64 hash; u64 nr; s32 pid; s32 probe_id
 *	kstack(N)            u64 hash; u64 nr
 *	key of the hash      u64 hash; u64 nr
 *	its value            u64 ip[N]
 *
 * Without a stack all bytes are zero.
 *
 * PID is the process (tgid), not the thread: bpf_get_current_pid_tgid() >> 32 (CreateGetPid() of
 * CodegenLLVM::ustack(); checked with threads under 0.27.1). In a PID namespace, bpftrace stores
 * the PID of that namespace.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/counts/count_map.h"
#include "input/lists/addresses.h"
#include "input/stacks/stack_index.h"

enum bpftrace_kind {
	BPFTRACE_USER,	       /* addresses */
	BPFTRACE_USER_RECORDS, /* struct bpf_stack_build_id */
	BPFTRACE_KERNEL,
	BPFTRACE_USER_ID, /* hashes, which become stack IDs */
	BPFTRACE_KERNEL_ID,
	BPFTRACE_USER_ID_22, /* with NR of 4 bytes */
	BPFTRACE_KERNEL_ID_22,
	BPFTRACE_KINDS,
};

/* how bpftrace keeps a stack */
struct bpftrace_form {
	uint8_t header, slot_size; /* bytes before the slots, and of a slot */
	bool user;		   /* with PID and probe: after the hash, or first */
	bool hashed;
};

extern const struct bpftrace_form bpftrace_forms[BPFTRACE_KINDS];

enum bpftrace_fit {
	BPFTRACE_UNFIT, /* cannot be such a stack */
	BPFTRACE_OPEN,	/* empty, without any valid address where one is expected, or not found */
	BPFTRACE_FITS,
};

struct bpftrace_stack {
	int64_t pid;	      /* -1: unknown */
	const uint8_t *slots; /* pointer into the bytes that were read; not aligned */
	size_t slot_size;     /* bytes */
	size_t nr;	      /* used slots */
	size_t room;	      /* all slots */
	uint64_t id;	      /* stack ID instead of slots, which are none then; -1: no stack */
};

/*
 * Returns true if KEY has the hash of the stack VALUE, of LEN bytes. It has 64 bits, so no chance
 * explains it, and one such entry proves that its map is such a hash.
 */
bool bpftrace_stack_is_hashed(const uint8_t *key, size_t key_len, const uint8_t *value, size_t len);
/*
 * Replaces STORE by the stacks of MAP, and returns true, if an entry of it is hashed. Leaves out
 * others, which were changed while they were read. Stack IDs are 2^62 and the upper 62 bits of the
 * hash, above all other IDs.
 */
bool bpftrace_stacks_find(const struct count_map *map, const struct address_halves *halves,
	struct stack_store **store);
/*
 * Returns true if TEXT, of LEN bytes, is bpftrace's `probe`: a type and its target, as in
 * "kprobe:vfs_read". A comm may have a colon too, as in "kworker/0:1" and "runc:[2:INIT]".
 */
bool bpftrace_is_probe(const char *text, size_t len);
/*
 * Returns the side of an address on the machine of HALVES. With overlapping address spaces it
 * returns the side on other machines; see `sideless` in struct count_map.
 */
enum address_side bpftrace_side(const struct address_halves *halves, uint64_t value);
/*
 * Reads the LEN bytes at BYTES as a stack of KIND, and ignores an incomplete slot at the end. RET
 * is undefined if the result is BPFTRACE_UNFIT. Text never fits, because a small NR contains zero
 * bytes. Hashes fit if INDEX has their stack.
 */
enum bpftrace_fit bpftrace_stack_read(enum bpftrace_kind kind, const struct address_halves *halves,
	const struct stack_index *index, const uint8_t *bytes, size_t len,
	struct bpftrace_stack *ret);
