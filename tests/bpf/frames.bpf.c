// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks through BPF programs: frames_target calls frames_middle, which calls
 * frames_leaf_with_a_name_of_many_characters, all at known lines (AT). on_printk runs when the leaf
 * calls bpf_trace_printk() (with an even number only), on_leaf is attached to the leaf's entry,
 * on_clock samples whatever runs; they count the stacks.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "frames.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 4096);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 64 * sizeof(__u64));
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct frames_key);
	__type(value, __u64);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} wanted SEC(".maps"); /* the process to sample; 0: none */

static __always_inline int count(void *ctx)
{
	struct frames_key key = {.pid = bpf_get_current_pid_tgid() >> 32};
	__u32 zero = 0;
	__u64 one = 1, *value = bpf_map_lookup_elem(&wanted, &zero);

	if (!value || *value != key.pid)
		return 0;
	key.kernel = bpf_get_stackid(ctx, &stacks, 0);
	value = bpf_map_lookup_elem(&counts, &key);
	if (value)
		__sync_fetch_and_add(value, 1);
	else
		bpf_map_update_elem(&counts, &key, &one, BPF_ANY);
	return 0;
}

/* The loop is where the time goes. */
__attribute__((noinline)) int frames_leaf_with_a_name_of_many_characters(int n) /* AT leaf */
{
	volatile int sum = 0;
	char format[] = "frames";

	if (!(n & 1))
		sum += bpf_trace_printk(format, sizeof(format)); /* AT printk */
	for (int i = 0; i < 400 && i < n; i++) {
		sum += i;
		sum ^= n;
	}
	return sum; /* AT leaf_end */
}

__attribute__((noinline)) int frames_middle(int n)
{
	volatile int sum = n;

	sum += 1;
	sum += frames_leaf_with_a_name_of_many_characters(n); /* AT middle */
	sum += 2;
	return sum;
}

SEC("xdp")
int frames_target(struct xdp_md *ctx)
{
	volatile int sum = ctx->data_end - ctx->data;

	sum += 3;
	sum += frames_middle(sum + 1000); /* AT target */
	sum += 4;
	return sum & 1 ? XDP_PASS : XDP_DROP;
}

SEC("fentry")
int on_leaf(void *ctx)
{
	return count(ctx);
}

SEC("raw_tp/bpf_trace_printk")
int on_printk(void *ctx)
{
	return count(ctx);
}

SEC("perf_event")
int on_clock(void *ctx)
{
	return count(ctx);
}
