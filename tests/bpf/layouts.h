/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs that tests/e2e/layouts.pl writes have in common: one sample, taken when a descendant of the
 * target calls getppid, and its true roles, summed in the map "truth". Each generated layout adds the
 * sample to its own maps.
 */
#pragma once

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "maps.h"

#define SLOTS 32   /* of a stack */
#define TAG_LEN 64 /* the longest text */
#define ROOM 320   /* bytes of the longest key */
#define MAGIC                                                                                      \
	0x6c61796f /* second argument of getppid where the third one is the number of a program */
#define GENERATIONS 5 /* of descendants */

enum stack_of { USER, KERNEL, USER_APART, KERNEL_APART, STACKS };

struct task_struct {
	int tgid;
	int prio;
	struct task_struct *real_parent;
} __attribute__((preserve_access_index));

#ifdef __TARGET_ARCH_arm64
struct user_pt_regs {
	__u64 regs[31];
} __attribute__((preserve_access_index));
#define ARGUMENT(registers, x86, n) BPF_CORE_READ((struct user_pt_regs *)(registers), regs[n])
#else
struct pt_regs {
	unsigned long dx, si;
} __attribute__((preserve_access_index));
#define ARGUMENT(registers, x86, n) BPF_CORE_READ((struct pt_regs *)(registers), x86)
#endif

struct sample {
	__u64 pid_tgid, cgroup, time, size, delta;
	__u32 tgid, tid, ppid, cpu, uid, n;
	__s32 priority;
	__s32 id[STACKS], older[STACKS],
		other[STACKS]; /* of the sample; of the thread before; of another process */
	char comm[COMM_LEN];
	char tag[TAG_LEN];
};

struct truth_key {
	__u32 tgid, tid;
	__s32 user, kernel, user_apart, kernel_apart;
	__u32 program; /* 0: not known */
	char comm[COMM_LEN];
};

struct truth_value {
	__u64 count, size, delta;
};

/* The samples before. */
struct before {
	__u64 n;
	__u32 tgid;
	__s32 last[STACKS], other[STACKS];
};

struct ids {
	__s32 id[STACKS];
};

struct room {
	__u8 bytes[ROOM];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct capture_target);
} target SEC(".maps");

#define STACK_MAP(name, slots)                                                                     \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_STACK_TRACE);                                            \
		__uint(max_entries, slots);                                                        \
		__uint(key_size, 4);                                                               \
		__uint(value_size, SLOTS * 8);                                                     \
	} name SEC(".maps")

STACK_MAP(stacks, STACK_SLOTS);
STACK_MAP(ustacks, STACK_SLOTS);
STACK_MAP(kstacks, STACK_SLOTS / 2);

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct truth_key);
	__type(value, struct truth_value);
} truth SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct ids);
} threads SEC(".maps");

#define NAMED_MAP(name, kind, key_type, value_type)                                                \
	struct {                                                                                   \
		__uint(type, kind);                                                                \
		__uint(max_entries, 4096);                                                         \
		__type(key, key_type);                                                             \
		__type(value, value_type);                                                         \
	} name SEC(".maps")

#define RAW_MAP(name, kind, key_bytes, value_bytes)                                                \
	struct {                                                                                   \
		__uint(type, kind);                                                                \
		__uint(max_entries, 4096);                                                         \
		__uint(key_size, key_bytes);                                                       \
		__uint(value_size, value_bytes);                                                   \
	} name SEC(".maps")

#define ONE(name, what)                                                                            \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                  \
		__uint(max_entries, 1);                                                            \
		__type(key, __u32);                                                                \
		__type(value, what);                                                               \
	} name SEC(".maps")

ONE(samples, struct sample);
ONE(before, struct before);
ONE(room, struct room);

char LICENSE[] SEC("license") = "GPL";

static __always_inline int is_descendant(__u32 wanted)
{
	struct task_struct *task = (void *)bpf_get_current_task();

#pragma unroll
	for (int i = 0; i < GENERATIONS; i++) {
		if ((__u32)BPF_CORE_READ(task, tgid) == wanted)
			return 1;
		task = BPF_CORE_READ(task, real_parent);
	}
	return 0;
}

/* Some samples have no stack of one side, as those of a clock; the kernel's are of several depths. */
static __always_inline void take_stacks(void *ctx, struct sample *s)
{
	__u64 skipped = s->n % 3;

	if (s->n % 11 == 4)
		s->id[USER] = s->id[USER_APART] = -14;
	else {
		s->id[USER] = bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
		s->id[USER_APART] = bpf_get_stackid(ctx, &ustacks, BPF_F_USER_STACK);
	}
	if (s->n % 5 == 2)
		s->id[KERNEL] = s->id[KERNEL_APART] = -14;
	else {
		s->id[KERNEL] = bpf_get_stackid(ctx, &stacks, skipped);
		s->id[KERNEL_APART] = bpf_get_stackid(ctx, &kstacks, skipped);
	}
}

/* The stacks of the samples before. */
static __always_inline void look_back(struct sample *s, struct before *b)
{
	struct ids *older = bpf_map_lookup_elem(&threads, &s->tid), now = {};

	if (b->n > 1 && b->tgid != s->tgid)
		__builtin_memcpy(b->other, b->last, sizeof(b->other));
	for (int i = 0; i < STACKS; i++) {
		s->older[i] = older ? older->id[i] : -14;
		s->other[i] = b->other[i] ? b->other[i] : -14;
		b->last[i] = now.id[i] = s->id[i];
	}
	b->tgid = s->tgid;
	bpf_map_update_elem(&threads, &s->tid, &now, BPF_ANY);
}

static __always_inline void take_sample(
	struct bpf_raw_tracepoint_args *ctx, struct sample *s, struct before *b)
{
	static const char tags[4][TAG_LEN] = {
		"GET /index.html", "queue-17", "/usr/lib/something-that-was-opened", "put"};
	struct task_struct *task = (void *)bpf_get_current_task();

	s->n = (__u32)b->n++;
	s->pid_tgid = bpf_get_current_pid_tgid();
	s->tgid = s->pid_tgid >> 32;
	s->tid = (__u32)s->pid_tgid;
	s->ppid = BPF_CORE_READ(task, real_parent, tgid);
	s->priority = BPF_CORE_READ(task, prio);
	s->uid = (__u32)bpf_get_current_uid_gid();
	s->cpu = bpf_get_smp_processor_id();
	s->cgroup = bpf_get_current_cgroup_id();
	s->time = bpf_ktime_get_ns();
	s->size = 8ULL << s->n % 14;
	s->delta = 1000 + 7919ULL * (s->n % 97);
	bpf_get_current_comm(s->comm, sizeof(s->comm));
	__builtin_memcpy(s->tag, tags[s->n / 5 % 4], sizeof(s->tag));
	take_stacks(ctx, s);
	look_back(s, b);
}

static __always_inline void add_truth(struct bpf_raw_tracepoint_args *ctx, const struct sample *s)
{
	struct truth_key key = {s->tgid, s->tid, s->id[USER], s->id[KERNEL], s->id[USER_APART],
		s->id[KERNEL_APART]};
	struct truth_value zero = {}, *value;
	void *registers = (void *)ctx->args[0];

	if (ARGUMENT(registers, si, 1) == MAGIC)
		key.program = (__u32)ARGUMENT(registers, dx, 2);
	__builtin_memcpy(key.comm, s->comm, sizeof(key.comm));
	bpf_map_update_elem(&truth, &key, &zero, BPF_NOEXIST);
	value = bpf_map_lookup_elem(&truth, &key);
	if (value) {
		value->count++;
		value->size += s->size;
		value->delta += s->delta;
	}
}

static __always_inline void count_all(const struct sample *s, void *room);

SEC("raw_tp/sys_enter")
int on_syscall(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 zero = 0;
	const struct capture_target *wanted = bpf_map_lookup_elem(&target, &zero);
	struct sample *s = bpf_map_lookup_elem(&samples, &zero);
	struct before *b = bpf_map_lookup_elem(&before, &zero);
	struct room *space = bpf_map_lookup_elem(&room, &zero);

	if (!wanted || !wanted->tgid || ctx->args[1] != wanted->syscall || !s || !b || !space ||
		!is_descendant(wanted->tgid))
		return 0;
	take_sample(ctx, s, b);
	add_truth(ctx, s);
	count_all(s, space);
	return 0;
}
