// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stacks of a process and its children, counted under keys of many layouts. All but "counts"
 * have no BTF: numbers that are the process are beside numbers that are not. For
 * tests/bpf/capture, as stacks.bpf.c.
 */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "maps.h"

char LICENSE[] SEC("license") = "GPL";

struct task_struct {
	int tgid;
	struct task_struct *real_parent;
} __attribute__((preserve_access_index));

/* Its process and the children of that are counted. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct capture_target);
} target SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 16384);
	__uint(key_size, 4);
	__uint(value_size, STACK_DEPTH * 8);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct count_key);
	__type(value, __u64);
} counts SEC(".maps");

#define COUNTED(name, members)                                                                     \
	struct name##_key {                                                                        \
		members                                                                            \
	};                                                                                         \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_HASH);                                                   \
		__uint(max_entries, 1024);                                                         \
		__uint(key_size, sizeof(struct name##_key));                                       \
		__uint(value_size, 8);                                                             \
	} by_##name SEC(".maps")

#define IDS                                                                                        \
	__s32 user;                                                                                \
	__s32 kernel;
#define NAME char comm[COMM_LEN];

COUNTED(ppid, __u32 ppid; IDS);
COUNTED(ppid_comm, __u32 ppid; IDS NAME);
COUNTED(pid, __u32 pid; IDS);
COUNTED(pid_comm, __u32 pid; IDS NAME);
COUNTED(tid, __u32 tid; IDS);
COUNTED(tid_comm, __u32 tid; IDS NAME);
COUNTED(ppid_pid, __u32 ppid; __u32 pid; IDS);
COUNTED(pid_ppid_comm, __u32 pid; __u32 ppid; IDS NAME);
COUNTED(pid_tgid, __u64 pid_tgid; IDS);
COUNTED(cpu, __u32 cpu; IDS);
COUNTED(cpu_comm, __u32 cpu; IDS NAME);
COUNTED(ids, IDS);
COUNTED(uid_comm, IDS __u32 uid; NAME);
COUNTED(tid_ppid, __u32 tid; __u32 ppid; IDS);
COUNTED(kernel_pid, __s32 kernel; __u32 pid;);
COUNTED(user_ppid, __s32 user; __u32 ppid;);

static __always_inline void add(void *map, const void *key)
{
	__u64 zero = 0, *count;

	bpf_map_update_elem(map, key, &zero, BPF_NOEXIST);
	count = bpf_map_lookup_elem(map, key);
	if (count)
		__sync_fetch_and_add(count, 1);
}

#define ADD(name, ...)                                                                             \
	do {                                                                                       \
		struct name##_key key = {__VA_ARGS__};                                             \
		add(&by_##name, &key);                                                             \
	} while (0)

/* The same with the comm at its end, which is copied. */
#define ADD_NAMED(name, ...)                                                                       \
	do {                                                                                       \
		struct name##_key key = {__VA_ARGS__};                                             \
		__builtin_memcpy(key.comm, all.comm, sizeof(key.comm));                            \
		add(&by_##name, &key);                                                             \
	} while (0)

static __always_inline void count(void *ctx, __u32 wanted)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct task_struct *task = (void *)bpf_get_current_task();
	__u32 pid = pid_tgid >> 32, tid = (__u32)pid_tgid, cpu = bpf_get_smp_processor_id();
	__u32 ppid = BPF_CORE_READ(task, real_parent, tgid), uid = (__u32)bpf_get_current_uid_gid();
	struct count_key all = {.pid = pid};

	if (pid != wanted && ppid != wanted)
		return;
	bpf_get_current_comm(all.comm, sizeof(all.comm));
	all.user = bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
	all.kernel = bpf_get_stackid(ctx, &stacks, 0);
	add(&counts, &all);
	ADD(ppid, ppid, all.user, all.kernel);
	ADD_NAMED(ppid_comm, ppid, all.user, all.kernel);
	ADD(pid, pid, all.user, all.kernel);
	ADD_NAMED(pid_comm, pid, all.user, all.kernel);
	ADD(tid, tid, all.user, all.kernel);
	ADD_NAMED(tid_comm, tid, all.user, all.kernel);
	ADD(ppid_pid, ppid, pid, all.user, all.kernel);
	ADD_NAMED(pid_ppid_comm, pid, ppid, all.user, all.kernel);
	ADD(pid_tgid, pid_tgid, all.user, all.kernel);
	ADD(cpu, cpu, all.user, all.kernel);
	ADD_NAMED(cpu_comm, cpu, all.user, all.kernel);
	ADD(ids, all.user, all.kernel);
	ADD_NAMED(uid_comm, all.user, all.kernel, uid);
	ADD(tid_ppid, tid, ppid, all.user, all.kernel);
	ADD(kernel_pid, all.kernel, pid);
	ADD(user_ppid, all.user, ppid);
}

SEC("raw_tp/sys_enter")
int on_syscall(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 zero = 0;
	const struct capture_target *wanted = bpf_map_lookup_elem(&target, &zero);

	if (wanted && wanted->tgid && ctx->args[1] == wanted->syscall)
		count(ctx, wanted->tgid);
	return 0;
}
