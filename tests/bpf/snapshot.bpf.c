// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends the registers of one process and a copy of its stack, for stack2line to unwind, when the clock
 * ticks and at a system call.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/ptrace.h>
#include <stdbool.h>
#include <stddef.h>

#include <bpf/bpf_helpers.h>

#include "maps.h"
#include "snapshot.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct capture_target);
} target SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct snapshot_event);
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 25);
} snapshots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, 4);
	__uint(value_size, 4);
} snapshots_perf SEC(".maps");

/*
 * The registers that the process had when it came to the kernel, also where the kernel was sampled
 * (IN_KERNEL). False: it may be changing them, for a signal.
 */
static __always_inline bool copy_registers(struct snapshot_event *event, bool in_kernel)
{
	enum { RT_SIGRETURN = 15, TGKILL = 234 };
	struct pt_regs regs;

	bpf_probe_read_kernel(
		&regs, sizeof(regs), (void *)bpf_task_pt_regs(bpf_get_current_task_btf()));
#ifdef __TARGET_ARCH_x86
	event->ip = regs.rip;
	event->sp = regs.rsp;
	event->bp = regs.rbp;
	long call = (long)regs.orig_rax;
	return !in_kernel || (call >= 0 && call != RT_SIGRETURN && call != TGKILL);
#else
	return false;
#endif
}

static __always_inline int sample(void *ctx, const struct capture_target *wanted, bool in_kernel)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	__u32 zero = 0;
	struct snapshot_event *event = bpf_map_lookup_elem(&scratch, &zero);

	if (!event || !wanted || pid_tgid >> 32 != wanted->tgid)
		return 0;
	event->pid = pid_tgid >> 32;
	event->tid = (__u32)pid_tgid;
	if (!copy_registers(event, in_kernel))
		return 0;
	event->chain[0] = '\0';
	bpf_probe_read_user_str(event->chain, sizeof(event->chain), (void *)CHAIN_ADDRESS);
	event->len = 0;
#pragma unroll
	for (int i = 0; i < SNAPSHOT_CHUNKS; i++) {
		if (bpf_probe_read_user(event->stack + i * SNAPSHOT_CHUNK, SNAPSHOT_CHUNK,
			    (void *)(event->sp + i * SNAPSHOT_CHUNK)))
			break;
		event->len = (i + 1) * SNAPSHOT_CHUNK;
	}
	__u64 size = offsetof(struct snapshot_event, stack) + event->len;
	if (size > sizeof(*event))
		return 0;
	bpf_ringbuf_output(&snapshots, event, size, 0);
	bpf_perf_event_output(ctx, &snapshots_perf, BPF_F_CURRENT_CPU, event, size);
	return 0;
}

static __always_inline const struct capture_target *target_get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&target, &zero);
}

SEC("perf_event")
int on_clock(struct bpf_perf_event_data *ctx)
{
#ifdef __TARGET_ARCH_x86
	return sample(ctx, target_get(), !(ctx->regs.cs & 3));
#else
	return 0;
#endif
}

SEC("raw_tp/sys_enter")
int on_syscall(struct bpf_raw_tracepoint_args *ctx)
{
	const struct capture_target *wanted = target_get();

	return wanted && ctx->args[1] == wanted->syscall ? sample(ctx, wanted, false) : 0;
}

SEC("uprobe")
int on_uprobe(struct pt_regs *ctx)
{
	return sample(ctx, target_get(), false);
}
