// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts kernel stacks of everything that runs: by a clock, and at the functions that are asked for. */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 4096);
	__uint(key_size, 4);
	__uint(value_size, 127 * 8);
} stacks SEC(".maps");

struct count_key {
	__u32 pid;
	__s32 user_stack_id, kernel_stack_id;
	char comm[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct count_key);
	__type(value, __u64);
} counts SEC(".maps");

static __always_inline int count(void *context)
{
	struct count_key key = {.user_stack_id = -1};
	__u64 zero = 0, *n;

	key.pid = bpf_get_current_pid_tgid() >> 32;
	key.kernel_stack_id = bpf_get_stackid(context, &stacks, 0);
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	bpf_map_update_elem(&counts, &key, &zero, BPF_NOEXIST);
	n = bpf_map_lookup_elem(&counts, &key);
	if (n)
		__sync_fetch_and_add(n, 1);
	return 0;
}

SEC("perf_event")
int at_clock(struct bpf_perf_event_data *context)
{
	return count(context);
}

SEC("kprobe")
int at_function(void *context)
{
	return count(context);
}
