// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Somebody's own BPF program as README's recipes have it: counts beside a stack map, and the same samples as events in
 * a ring buffer. For tests/bpf/capture, as stacks.bpf.c.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "maps.h"

#define SLOTS 127

char LICENSE[] SEC("license") = "GPL";

/* u32 pid; u32 size; u64 ustack[127] */
struct event {
	__u32 pid;
	__u32 size; /* bytes, as bpf_get_stack() returned it */
	__u64 ustack[SLOTS];
};

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
	__uint(value_size, SLOTS * 8);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct count_key);
	__type(value, __u64);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} rb SEC(".maps");

static __always_inline void count(void *ctx, __u32 pid)
{
	struct count_key key = {.pid = pid};
	__u64 zero = 0, *n;

	bpf_get_current_comm(key.comm, sizeof(key.comm));
	key.user = bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
	key.kernel = bpf_get_stackid(ctx, &stacks, 0);
	bpf_map_update_elem(&counts, &key, &zero, BPF_NOEXIST);
	n = bpf_map_lookup_elem(&counts, &key);
	if (n)
		__sync_fetch_and_add(n, 1);
}

static __always_inline void send(void *ctx, __u32 pid)
{
	struct event *event = bpf_ringbuf_reserve(&rb, sizeof(*event), 0);

	if (!event)
		return;
	__builtin_memset(event, 0, sizeof(*event));
	event->pid = pid;
	event->size = bpf_get_stack(ctx, event->ustack, sizeof(event->ustack), BPF_F_USER_STACK);
	bpf_ringbuf_submit(event, 0);
}

SEC("raw_tp/sys_enter")
int on_syscall(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 zero = 0, pid = bpf_get_current_pid_tgid() >> 32;
	const struct capture_target *wanted = bpf_map_lookup_elem(&target, &zero);

	if (!wanted || wanted->tgid != pid || ctx->args[1] != wanted->syscall)
		return 0;
	count(ctx, pid);
	send(ctx, pid);
	return 0;
}
