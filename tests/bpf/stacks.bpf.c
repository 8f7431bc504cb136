// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts the stacks of one process, and keeps the same samples in every kind of map and event that
 * stack2line reads. Three ways to sample: a software clock, a uprobe, a system call.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>

#include "maps.h"

char LICENSE[] SEC("license") = "GPL";

__u64 alloc_next;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct capture_target);
} target SEC(".maps");

#define STACK_MAP(name, bytes, slots, flags)                                                       \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_STACK_TRACE);                                            \
		__uint(max_entries, slots);                                                        \
		__uint(key_size, 4);                                                               \
		__uint(value_size, STACK_DEPTH *(bytes));                                          \
		__uint(map_flags, flags);                                                          \
	} name SEC(".maps")

/* Different sizes make different IDs for one stack, so that a mix-up of maps shows. */
STACK_MAP(stacks, 8, 16384, 0);
STACK_MAP(stacks_bid, sizeof(struct bpf_stack_build_id), 4096, BPF_F_STACK_BUILD_ID);
STACK_MAP(ustacks, 8, 8192, 0);
STACK_MAP(kstacks, 8, 2048, 0);

#define COUNT_MAP(name, kind)                                                                      \
	struct {                                                                                   \
		__uint(type, kind);                                                                \
		__uint(max_entries, 4096);                                                         \
		__type(key, struct count_key);                                                     \
		__type(value, __u64);                                                              \
	} name SEC(".maps")

COUNT_MAP(counts, BPF_MAP_TYPE_HASH);
COUNT_MAP(counts_percpu, BPF_MAP_TYPE_PERCPU_HASH);
COUNT_MAP(counts_lru, BPF_MAP_TYPE_LRU_HASH);
COUNT_MAP(counts_bid, BPF_MAP_TYPE_HASH);
COUNT_MAP(counts_split, BPF_MAP_TYPE_HASH);

#define PLAIN_MAP(name, kind, key_bytes, value_bytes)                                              \
	struct {                                                                                   \
		__uint(type, kind);                                                                \
		__uint(max_entries, 4096);                                                         \
		__uint(key_size, key_bytes);                                                       \
		__uint(value_size, value_bytes);                                                   \
	} name SEC(".maps")

/* Without BTF: bpftool knows only bytes. */
PLAIN_MAP(counts_raw, BPF_MAP_TYPE_HASH, sizeof(struct count_key), 8);
PLAIN_MAP(percpu_raw, BPF_MAP_TYPE_PERCPU_HASH, sizeof(struct count_key), 8);
PLAIN_MAP(offcpu_raw, BPF_MAP_TYPE_HASH, sizeof(struct offcpu_key), sizeof(struct offcpu_value));

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct offcpu_key);
	__type(value, struct offcpu_value);
} offcpu SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, struct alloc_value);
} allocs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct inline_key);
	__type(value, __u64);
} inlines SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct inline_key);
} scratch SEC(".maps");

/* One array for each reader: a second bpftool on one array takes its events from the first. */
#define EVENT_MAP(name)                                                                            \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);                                       \
		__uint(key_size, 4);                                                               \
		__uint(value_size, 4);                                                             \
	} name SEC(".maps")

EVENT_MAP(events_text);
EVENT_MAP(events_json);
EVENT_MAP(inline_text);
EVENT_MAP(inline_json);
EVENT_MAP(inline_live);

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} inline_ring SEC(".maps");

static __always_inline void add(void *map, const void *key, __u64 n)
{
	__u64 zero = 0, *count;

	bpf_map_update_elem(map, key, &zero, BPF_NOEXIST);
	count = bpf_map_lookup_elem(map, key);
	if (count)
		__sync_fetch_and_add(count, n);
}

static __always_inline void add_offcpu(void *map, const struct count_key *count, __u32 tid)
{
	struct offcpu_key key = {
		.pid = tid, .tgid = count->pid, .user = count->user, .kern = count->kernel};
	struct offcpu_value zero = {}, *value;

	bpf_map_update_elem(map, &key, &zero, BPF_NOEXIST);
	value = bpf_map_lookup_elem(map, &key);
	if (!value)
		return;
	__builtin_memcpy(value->comm, count->comm, sizeof(value->comm));
	__sync_fetch_and_add(&value->delta, 1);
}

static __always_inline void add_alloc(__s32 stack_id)
{
	struct alloc_value value = {
		.size = 1, .timestamp_ns = bpf_ktime_get_ns(), .stack_id = stack_id};
	__u64 key = 0x7f0000000000 + 16 * __sync_fetch_and_add(&alloc_next, 1);

	bpf_map_update_elem(&allocs, &key, &value, BPF_ANY);
}

static __always_inline void add_inline(void *ctx, const struct count_key *count)
{
	__u32 zero = 0;
	struct inline_key *key = bpf_map_lookup_elem(&scratch, &zero);

	if (!key)
		return;
	__builtin_memset(key, 0, sizeof(*key));
	__builtin_memcpy(key->comm, count->comm, sizeof(key->comm));
	key->pid = count->pid;
	/* A failed bpf_get_stack() clears the buffer: no stack of that kind. */
	bpf_get_stack(ctx, key->ustack, sizeof(key->ustack), BPF_F_USER_STACK);
	bpf_get_stack(ctx, key->kstack, sizeof(key->kstack), 0);
	add(&inlines, key, 1);
	bpf_perf_event_output(ctx, &inline_text, BPF_F_CURRENT_CPU, key, sizeof(*key));
	bpf_perf_event_output(ctx, &inline_json, BPF_F_CURRENT_CPU, key, sizeof(*key));
	bpf_perf_event_output(ctx, &inline_live, BPF_F_CURRENT_CPU, key, sizeof(*key));
	bpf_ringbuf_output(&inline_ring, key, sizeof(*key), 0);
}

static __always_inline const struct capture_target *target_get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&target, &zero);
}

static __always_inline int is_wanted(const struct capture_target *wanted, __u32 tgid)
{
	if (wanted->cgroup)
		return wanted->tgid && bpf_get_current_cgroup_id() == wanted->cgroup;
	return tgid == wanted->tgid;
}

static __always_inline int sample(void *ctx)
{
	const struct capture_target *wanted = target_get();
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct count_key key = {.pid = pid_tgid >> 32}, other;

	if (!wanted || !is_wanted(wanted, key.pid))
		return 0;
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	key.user = bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
	key.kernel = bpf_get_stackid(ctx, &stacks, 0);
	add(&counts, &key, 1);
	add(&counts_lru, &key, 1);
	add(&counts_raw, &key, 1);
	add(&counts_percpu, &key, 1);
	add(&percpu_raw, &key, 1);
	add_offcpu(&offcpu, &key, (__u32)pid_tgid);
	add_offcpu(&offcpu_raw, &key, (__u32)pid_tgid);
	add_alloc(key.user);
	bpf_perf_event_output(ctx, &events_text, BPF_F_CURRENT_CPU, &key, sizeof(key));
	bpf_perf_event_output(ctx, &events_json, BPF_F_CURRENT_CPU, &key, sizeof(key));
	add_inline(ctx, &key);

	other = key;
	other.user = bpf_get_stackid(ctx, &stacks_bid, BPF_F_USER_STACK);
	other.kernel = bpf_get_stackid(ctx, &stacks_bid, 0);
	add(&counts_bid, &other, 1);
	other.user = bpf_get_stackid(ctx, &ustacks, BPF_F_USER_STACK);
	other.kernel = bpf_get_stackid(ctx, &kstacks, 0);
	add(&counts_split, &other, 1);
	return 0;
}

SEC("perf_event")
int on_clock(struct bpf_perf_event_data *ctx)
{
	return sample(ctx);
}

SEC("uprobe")
int on_uprobe(struct pt_regs *ctx)
{
	return sample(ctx);
}

SEC("raw_tp/sys_enter")
int on_syscall(struct bpf_raw_tracepoint_args *ctx)
{
	const struct capture_target *wanted = target_get();

	return wanted && ctx->args[1] == wanted->syscall ? sample(ctx) : 0;
}
