// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The same samples in kinds of maps that few programs use: queues, maps in maps, arrays, sets,
 * histograms, and stacks of build IDs inside key or value. For tests/bpf/capture, as stacks.bpf.c.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "maps.h"

char LICENSE[] SEC("license") = "GPL";

#define SAMPLES 4096
#define RECORDS 16 /* of an inline stack: the chains of the workloads are shorter */
#define SLOTS 32

struct ticket {
	__u64 pid_tgid;
	__s32 kernel_stack_id;
	__s32 user_stack_id;
};

struct ids_key {
	__u32 pid;
	__s32 ids[2]; /* user, kernel */
	char comm[COMM_LEN];
};

/* Names that do not mention stacks, or anything else. */
struct odd_key {
	__u32 tgid;
	__s32 ks, us;
	char comm[COMM_LEN];
};

struct odder_key {
	__s32 a;
	__u64 b; /* process and thread */
	__s32 c;
};

struct odd_value {
	__u64 cost;
	__s32 a, b;
};

struct histogram {
	__u32 slots[SLOTS];
};

typedef __u32 small_numbers[SLOTS];
typedef __u64 large_numbers[SLOTS];

struct records {
	__u64 pid_tgid;
	struct bpf_stack_build_id ustack[RECORDS];
};

__u64 sample_next;

#define MAP(name, kind, n, key_type, value_type)                                                   \
	struct {                                                                                   \
		__uint(type, kind);                                                                \
		__uint(max_entries, n);                                                            \
		__type(key, key_type);                                                             \
		__type(value, value_type);                                                         \
	} name SEC(".maps")

#define PLAIN_MAP(name, kind, n, key_bytes, value_bytes)                                           \
	struct {                                                                                   \
		__uint(type, kind);                                                                \
		__uint(max_entries, n);                                                            \
		__uint(key_size, key_bytes);                                                       \
		__uint(value_size, value_bytes);                                                   \
	} name SEC(".maps")

MAP(target, BPF_MAP_TYPE_ARRAY, 1, __u32, struct capture_target);
PLAIN_MAP(stacks, BPF_MAP_TYPE_STACK_TRACE, 16384, 4, STACK_DEPTH * 8);
MAP(counts, BPF_MAP_TYPE_HASH, SAMPLES, struct count_key, __u64);

PLAIN_MAP(queue, BPF_MAP_TYPE_QUEUE, SAMPLES, 0, sizeof(struct ticket));
PLAIN_MAP(stack, BPF_MAP_TYPE_STACK, SAMPLES, 0, sizeof(struct ticket));

struct inner {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLES);
	__type(key, struct count_key);
	__type(value, __u64);
};

struct inner inner_one SEC(".maps");
struct inner inner_two SEC(".maps");

#define OUTER_MAP(name, kind, n)                                                                   \
	struct {                                                                                   \
		__uint(type, kind);                                                                \
		__uint(max_entries, n);                                                            \
		__type(key, __u32);                                                                \
		__array(values, struct inner);                                                     \
	} name SEC(".maps")

OUTER_MAP(outer, BPF_MAP_TYPE_ARRAY_OF_MAPS, 4) = {.values = {&inner_one, &inner_two, &inner_two}};
OUTER_MAP(outer_hash, BPF_MAP_TYPE_HASH_OF_MAPS, 4) = {.values = {&inner_one, &inner_two}};

MAP(samples, BPF_MAP_TYPE_ARRAY, SAMPLES, __u32, struct ticket);
PLAIN_MAP(samples_raw, BPF_MAP_TYPE_ARRAY, SAMPLES, 4, sizeof(struct ticket));
MAP(samples_percpu, BPF_MAP_TYPE_PERCPU_ARRAY, SAMPLES, __u32, struct ticket);

MAP(ids, BPF_MAP_TYPE_HASH, SAMPLES, struct ids_key, __u64);
PLAIN_MAP(ids_raw, BPF_MAP_TYPE_HASH, SAMPLES, sizeof(struct ids_key), 8);

MAP(odd_names, BPF_MAP_TYPE_HASH, SAMPLES, struct odd_key, __u64);
MAP(odder_names, BPF_MAP_TYPE_HASH, SAMPLES, struct odder_key, __u64);
MAP(odd_values, BPF_MAP_TYPE_HASH, SAMPLES, __u64, struct odd_value);

MAP(histograms, BPF_MAP_TYPE_HASH, SAMPLES, struct count_key, struct histogram);
MAP(histograms_percpu, BPF_MAP_TYPE_PERCPU_HASH, SAMPLES, struct count_key, struct histogram);
PLAIN_MAP(histograms_raw, BPF_MAP_TYPE_HASH, SAMPLES, sizeof(struct count_key),
	sizeof(struct histogram));
MAP(arrays, BPF_MAP_TYPE_HASH, SAMPLES, struct count_key, small_numbers);
MAP(arrays_wide, BPF_MAP_TYPE_HASH, SAMPLES, struct count_key, large_numbers);
MAP(set, BPF_MAP_TYPE_HASH, SAMPLES, struct count_key, __u8);

MAP(records_key, BPF_MAP_TYPE_HASH, SAMPLES, struct records, __u64);
PLAIN_MAP(records_key_raw, BPF_MAP_TYPE_HASH, SAMPLES, sizeof(struct records), 8);
MAP(records_value, BPF_MAP_TYPE_HASH, SAMPLES, __u64, struct records);
PLAIN_MAP(records_value_raw, BPF_MAP_TYPE_HASH, SAMPLES, 8, sizeof(struct records));
MAP(records_scratch, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u32, struct records);
MAP(zero_numbers, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u32, large_numbers);
MAP(zero_histogram, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u32, struct histogram);

static __always_inline void add(void *map, const void *key)
{
	__u64 zero = 0, *count;

	bpf_map_update_elem(map, key, &zero, BPF_NOEXIST);
	count = bpf_map_lookup_elem(map, key);
	if (count)
		__sync_fetch_and_add(count, 1);
}

static __always_inline void add_slot(void *map, const void *key, __u32 slot)
{
	__u32 zero = 0;
	const struct histogram *none = bpf_map_lookup_elem(&zero_histogram, &zero);
	struct histogram *histogram;

	if (!none)
		return;
	bpf_map_update_elem(map, key, none, BPF_NOEXIST);
	histogram = bpf_map_lookup_elem(map, key);
	if (histogram)
		__sync_fetch_and_add(&histogram->slots[slot % SLOTS], 1);
}

/* A thousand each. */
static __always_inline void add_wide(void *map, const void *key, __u64 slot)
{
	__u32 zero = 0;
	const void *none = bpf_map_lookup_elem(&zero_numbers, &zero);
	__u64 *numbers;

	if (!none)
		return;
	bpf_map_update_elem(map, key, none, BPF_NOEXIST);
	numbers = bpf_map_lookup_elem(map, key);
	if (numbers)
		__sync_fetch_and_add(&numbers[slot % SLOTS], 1000);
}

static __always_inline void add_ticket(const struct count_key *key, __u64 pid_tgid, __u64 number)
{
	struct ticket ticket = {pid_tgid, key->kernel, key->user};
	__u32 i = number;

	bpf_map_push_elem(&queue, &ticket, 0);
	bpf_map_push_elem(&stack, &ticket, 0);
	bpf_map_update_elem(&samples, &i, &ticket, BPF_ANY);
	bpf_map_update_elem(&samples_raw, &i, &ticket, BPF_ANY);
	bpf_map_update_elem(&samples_percpu, &i, &ticket, BPF_ANY);
}

static __always_inline void add_ids(const struct count_key *count)
{
	struct ids_key key = {.pid = count->pid, .ids = {count->user, count->kernel}};

	__builtin_memcpy(key.comm, count->comm, sizeof(key.comm));
	add(&ids, &key);
	add(&ids_raw, &key);
}

static __always_inline void add_odd(const struct count_key *count, __u64 pid_tgid, __u64 number)
{
	struct odd_key key = {count->pid, count->kernel, count->user};
	struct odd_value value = {1, count->kernel, count->user};
	struct odder_key odder;

	__builtin_memcpy(key.comm, count->comm, sizeof(key.comm));
	add(&odd_names, &key);
	__builtin_memset(&odder, 0, sizeof(odder));
	odder.a = count->kernel;
	odder.b = pid_tgid;
	odder.c = count->user;
	add(&odder_names, &odder);
	number |= 1ULL << 40;
	bpf_map_update_elem(&odd_values, &number, &value, BPF_ANY);
}

static __always_inline void add_records(void *ctx, __u64 pid_tgid, __u64 number)
{
	__u32 zero = 0;
	struct records *records = bpf_map_lookup_elem(&records_scratch, &zero);

	if (!records)
		return;
	__builtin_memset(records, 0, sizeof(*records));
	records->pid_tgid = pid_tgid;
	bpf_get_stack(ctx, records->ustack, sizeof(records->ustack),
		BPF_F_USER_STACK | BPF_F_USER_BUILD_ID);
	add(&records_key, records);
	add(&records_key_raw, records);
	bpf_map_update_elem(&records_value, &number, records, BPF_ANY);
	bpf_map_update_elem(&records_value_raw, &number, records, BPF_ANY);
}

static __always_inline int sample(void *ctx, const struct capture_target *wanted)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid(), number;
	struct count_key key = {.pid = pid_tgid >> 32};
	__u8 nothing = 0;

	if (key.pid != wanted->tgid)
		return 0;
	number = __sync_fetch_and_add(&sample_next, 1);
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	key.user = bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
	key.kernel = bpf_get_stackid(ctx, &stacks, 0);
	add(&counts, &key);
	if (number % 2)
		add(&inner_one, &key);
	else
		add(&inner_two, &key);
	add_slot(&histograms, &key, number);
	add_slot(&histograms_percpu, &key, number);
	add_slot(&histograms_raw, &key, number);
	add_slot(&arrays, &key, number);
	add_wide(&arrays_wide, &key, number);
	bpf_map_update_elem(&set, &key, &nothing, BPF_ANY);
	add_ticket(&key, pid_tgid, number);
	add_ids(&key);
	add_odd(&key, pid_tgid, number);
	add_records(ctx, pid_tgid, number);
	return 0;
}

SEC("raw_tp/sys_enter")
int on_syscall(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 zero = 0;
	const struct capture_target *wanted = bpf_map_lookup_elem(&target, &zero);

	return wanted && ctx->args[1] == wanted->syscall ? sample(ctx, wanted) : 0;
}
