// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/ptrace.h>

#include <bpf/bpf_helpers.h>

#include "sampler.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} target SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 24);
} samples SEC(".maps");

SEC("perf_event")
int on_clock(struct bpf_perf_event_data *ctx)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u32 zero = 0, *tgid = bpf_map_lookup_elem(&target, &zero);
	struct pt_regs regs;

	if (!tgid || id >> 32 != *tgid)
		return 0;
	struct sampled *sampled = bpf_ringbuf_reserve(&samples, sizeof(*sampled), 0);
	if (!sampled)
		return 0;
	long size = bpf_get_stack(
		ctx, sampled->values, SAMPLED_DEPTH * sizeof(__u64), BPF_F_USER_STACK);
	if (size <= 0 || bpf_probe_read_kernel(&regs, sizeof(regs),
				 (void *)bpf_task_pt_regs(bpf_get_current_task_btf()))) {
		bpf_ringbuf_discard(sampled, 0);
		return 0;
	}
	sampled->tid = (__u32)id;
	sampled->n = size / sizeof(__u64);
	sampled->ip = regs.rip;
	sampled->sp = regs.rsp;
	bpf_ringbuf_submit(sampled, 0);
	return 0;
}
