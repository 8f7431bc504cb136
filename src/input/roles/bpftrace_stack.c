// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/bpftrace_stack.h"

#include <string.h>

#include "input/processes.h"
#include "util/number.h"
#include "util/vec.h"

enum {
	PROBE_MAX = 1 << 20, /* bpftrace numbers its probes from 0; BPFTRACE_MAX_PROBES is 1024 */
	/* enum bpf_stack_build_id_status, include/uapi/linux/bpf.h; 0 is an empty slot */
	STATUS_VALID = 1,
	STATUS_IP = 2,
};

enum address_side bpftrace_side(const struct address_halves *halves, uint64_t value)
{
	return halves->separate ? address_side(value) : address_side_in(halves, value);
}

const struct bpftrace_form bpftrace_forms[] = {
	[BPFTRACE_USER] = {16, sizeof(uint64_t), true, false},
	[BPFTRACE_USER_RECORDS] = {16, STACK_RECORD_SIZE, true, false},
	[BPFTRACE_KERNEL] = {8, sizeof(uint64_t), false, false},
	[BPFTRACE_USER_ID] = {24, 0, true, true},
	[BPFTRACE_KERNEL_ID] = {16, 0, false, true},
	[BPFTRACE_USER_ID_22] = {20, 0, true, true},
	[BPFTRACE_KERNEL_ID_22] = {12, 0, false, true},
};

/* probe types of bpftrace up to 0.24 that have a target (src/types.cpp, PROBE_LIST) */
static const char *const probe_types[] = {"asyncwatchpoint", "bench", "fentry", "fexit", "hardware",
	"interval", "iter", "kfunc", "kprobe", "kretfunc", "kretprobe", "profile", "rawtracepoint",
	"self", "software", "test", "tracepoint", "uprobe", "uretprobe", "usdt", "watchpoint"};

bool bpftrace_is_probe(const char *text, size_t len)
{
	const char *colon = memchr(text, ':', len);
	const size_t n = colon ? (size_t)(colon - text) : 0;

	for (size_t i = 0; n && i < array_len(probe_types); i++)
		if (strlen(probe_types[i]) == n && !memcmp(probe_types[i], text, n))
			return n + 1 < len;
	return false;
}

/* ---- hashes --------------------------------------------------------------------------------- */

/* Returns bpftrace's hash of N words (CodegenLLVM::createMurmurHash2Func()), with N in a byte. */
static uint64_t hash_of(const uint8_t *words, size_t n)
{
	const uint64_t factor = 0xc6a4a7935bd1e995;
	uint64_t hash = 1 ^ (n & 0xff) * factor;

	for (size_t i = 0; i < (n & 0xff); i++) {
		uint64_t word = load_u64(words + i * sizeof(word)) * factor;

		hash = (hash ^ (word ^ word >> 47) * factor) * factor;
	}
	return hash ?: 1;
}

static uint64_t id_of(uint64_t hash)
{
	return 1ULL << 62 | hash >> 2;
}

bool bpftrace_stack_is_hashed(const uint8_t *key, size_t key_len, const uint8_t *value, size_t len)
{
	if (key_len != 12 && key_len != 16)
		return false;
	size_t nr = load_u32(key + sizeof(uint64_t));
	return nr && nr <= len / sizeof(uint64_t) && load_u64(key) == hash_of(value, nr);
}

bool bpftrace_stacks_find(const struct count_map *map, const struct address_halves *halves,
	struct stack_store **store)
{
	struct stack_store *found =
		stack_store_create(map->name, (*store)->role, INPUT_SHAPE_ADDRESSES, halves);

	count_each(i, map) {
		const struct row row = count_map_row(map, i), raw = count_map_raw(map, i);
		const struct row *entry = row.n ? &row : &raw;
		const struct field *key = row_field(entry, "key"),
				   *value = row_field(entry, "value");

		if (entry->n != 2 || !key || !value)
			continue;
		const uint8_t *bytes = (const uint8_t *)key->bytes,
			      *stack = (const uint8_t *)value->bytes;
		if (bpftrace_stack_is_hashed(bytes, key->len, stack, value->len))
			(void)stack_store_add(found, id_of(load_u64(bytes)), stack, value->len);
	}
	bool any = found->stacks.len;
	stack_store_destroy(any ? *store : found);
	if (any)
		*store = found;
	return any;
}

/* ---- inline stacks -------------------------------------------------------------------------- */

static enum bpftrace_fit look_records(
	const struct address_halves *halves, const struct bpftrace_stack *stack)
{
	enum bpftrace_fit fit = BPFTRACE_OPEN;

	for (size_t i = 0; i < stack->nr; i++) {
		const uint8_t *record = stack->slots + i * STACK_RECORD_SIZE;
		uint32_t status = load_u32(record);

		if (status != STATUS_VALID && status != STATUS_IP)
			return BPFTRACE_UNFIT;
		if (status == STATUS_VALID ||
			bpftrace_side(halves, load_u64(record + STACK_RECORD_SIZE - 8)) ==
				SIDE_USER)
			fit = BPFTRACE_FITS;
	}
	return fit;
}

enum bpftrace_fit bpftrace_stack_read(enum bpftrace_kind kind, const struct address_halves *halves,
	const struct stack_index *index, const uint8_t *bytes, size_t len,
	struct bpftrace_stack *ret)
{
	const struct bpftrace_form *form = &bpftrace_forms[kind];

	if (len < form->header + form->slot_size)
		return BPFTRACE_UNFIT;
	const uint8_t *slots = bytes + form->header, *pid_at = form->hashed ? slots - 8 : bytes;
	uint32_t pid = form->user ? load_u32(pid_at) : 0;
	if (pid > PROCESS_ID_MAX || (form->user && load_u32(pid_at + 4) > PROBE_MAX))
		return BPFTRACE_UNFIT;
	*ret = (struct bpftrace_stack){.pid = pid ? (int64_t)pid : -1,
		.slots = slots,
		.slot_size = form->slot_size,
		.id = UINT64_MAX};
	if (form->hashed) {
		struct stack_position found;

		if (load_u32(bytes + sizeof(uint64_t)))
			ret->id = id_of(load_u64(bytes));
		if (stack_index_find(index, ret->id, SIDE_UNKNOWN, NULL, &found) != STACK_FOUND)
			return BPFTRACE_OPEN;
		if (found.stack->side == (form->user ? SIDE_USER : SIDE_KERNEL))
			return BPFTRACE_FITS;
		/*
		 * A kernel stack has no user addresses, but the leaf of a user stack may look like
		 * a kernel address after a jump to an invalid one.
		 */
		return found.stack->side == SIDE_USER ? BPFTRACE_UNFIT : BPFTRACE_OPEN;
	}
	ret->room = (len - form->header) / form->slot_size;
	ret->nr = load_u64(slots - sizeof(uint64_t));
	if (!ret->nr || ret->nr > ret->room)
		return ret->nr ? BPFTRACE_UNFIT : BPFTRACE_OPEN;
	if (kind == BPFTRACE_USER_RECORDS)
		return look_records(halves, ret);
	enum address_side leaf = bpftrace_side(halves, load_u64(slots));
	/*
	 * Without frame pointers the slots of a user stack may contain anything, even text and
	 * zeros. Only the leaf is reliable, unless the process has just jumped to an invalid
	 * address.
	 */
	if (kind == BPFTRACE_USER)
		return leaf == SIDE_USER ? BPFTRACE_FITS : BPFTRACE_OPEN;
	/* the kernel's unwinder verifies each address, so that none is a user address */
	for (size_t i = 1; i < ret->nr; i++)
		if (bpftrace_side(halves, load_u64(slots + i * sizeof(uint64_t))) == SIDE_USER)
			return BPFTRACE_UNFIT;
	return leaf == SIDE_KERNEL ? BPFTRACE_FITS : BPFTRACE_UNFIT;
}
